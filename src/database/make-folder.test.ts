import { existsSync } from 'node:fs'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeFolder } from './make-folder.ts'

let parent: string
beforeAll(async () => {
  parent = await mkdtemp(path.join(tmpdir(), 'make-folder-'))
})
afterAll(() => rm(parent, { recursive: true, force: true }))

describe('a folder', () => {
  it('is created with its parents, accessible to its owner only, and once', async () => {
    const folder = path.join(parent, 'a/b/c')
    await Promise.all([makeFolder(folder), makeFolder(folder)])
    await makeFolder(folder)
    expect((await stat(folder)).mode & 0o777).toBe(0o700)
  })

  it('fails at once when it cannot be created: below a file, or where the system allows none', async () => {
    await writeFile(path.join(parent, 'file'), '')
    await expect(makeFolder(path.join(parent, 'file'))).rejects.toThrow(/EEXIST/)
    await expect(makeFolder(path.join(parent, 'file/x'))).rejects.toThrow(/ENOTDIR/)
    if (existsSync('/proc/self')) await expect(makeFolder('/proc/no/such')).rejects.toThrow(/ENOENT/)
  })
})
