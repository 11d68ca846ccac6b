import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { StartupError } from '../kernel/errors.ts'
import { openEmbedded } from './drivers/embedded.ts'
import { FORMER, UNPACKED, refuseHalfRestored } from './half-restored.ts'

let parent: string
beforeAll(async () => {
  parent = await mkdtemp(path.join(tmpdir(), 'half-restored-'))
})
afterAll(() => rm(parent, { recursive: true, force: true }))

describe('a restore that was killed between its two renames', () => {
  it('keeps a start from creating an empty database, and names both folders', async () => {
    const directory = path.join(parent, 'data')
    const [unpacked, former] = [`${directory}${UNPACKED}1a2b3c4d`, `${directory}${FORMER}20260101T000000Z`]
    await mkdir(unpacked)
    await mkdir(former)
    const starting = openEmbedded({ dataDir: directory })
    await expect(starting).rejects.toThrow(StartupError)
    await expect(starting).rejects.toThrow(new RegExp(`${former}.*${unpacked}`))
  })

  it('is not detected when only one of the folders exists, or DATA_DIR does', async () => {
    const directory = path.join(parent, 'other')
    await expect(refuseHalfRestored(directory)).resolves.toBeUndefined()
    await mkdir(`${directory}${UNPACKED}1a2b3c4d`)
    await expect(refuseHalfRestored(directory)).resolves.toBeUndefined()
    await mkdir(`${directory}${FORMER}20260101T000000Z`)
    await mkdir(directory)
    await expect(refuseHalfRestored(directory)).resolves.toBeUndefined()
    await expect(refuseHalfRestored(path.join(parent, 'no', 'such', 'parent'))).resolves.toBeUndefined()
  })
})
