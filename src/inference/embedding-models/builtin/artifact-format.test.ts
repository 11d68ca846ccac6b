import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'

import { afterEach, describe, expect, it } from 'vitest'

import { StartupError } from '../../../kernel/errors.ts'
import { decodeArtifact, encodeArtifact, WORD_DIMENSIONS, type Vocabulary } from './artifact-format.ts'
import { loadBuiltinModel } from './builtin.ts'

const vocabulary: Vocabulary = {
  documents: 1000,
  stems: ['vacat', 'leav', '休暇'],
  frequencies: Uint32Array.of(40, 300, 2),
  vectors: Int8Array.from({ length: 3 * WORD_DIMENSIONS }, (_, i) => (i % 255) - 127),
  weights: null,
  commonDirection: Float32Array.from({ length: WORD_DIMENSIONS }, (_, i) => i / 1000),
}

const weighted: Vocabulary = { ...vocabulary, weights: Float32Array.of(0.5, 2, 1), commonDirection: null }

const folders: string[] = []

async function artifactFile(bytes: Buffer): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'artifact-'))
  folders.push(folder)
  const file = path.join(folder, 'model.bin')
  await writeFile(file, bytes)
  return file
}

afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true })
})

describe('the artifact', () => {
  it('round-trips with a common direction or with weights', () => {
    const first = encodeArtifact(vocabulary, 'builtin-1')
    expect(decodeArtifact(first, 'model.bin', 'builtin-1')).toEqual(vocabulary)
    const second = encodeArtifact(weighted, 'builtin-2')
    expect(decodeArtifact(second, 'model.bin', 'builtin-2')).toEqual(weighted)
  })

  it('decodes from a buffer at any offset', () => {
    const bytes = encodeArtifact(weighted, 'builtin-2')
    const shifted = Buffer.concat([Buffer.alloc(3), bytes]).subarray(3)
    expect(decodeArtifact(shifted, 'model.bin', 'builtin-2')).toEqual(weighted)
  })

  it('stops the start with instructions when it is missing', async () => {
    const missing = loadBuiltinModel('builtin-2', '/nowhere/model.bin')
    await expect(missing).rejects.toThrow(StartupError)
    await expect(missing).rejects.toThrow(/cannot read \/nowhere\/model\.bin.*Restore it from the release/)
  })

  it('stops the start with instructions wherever it is truncated', async () => {
    const bytes = encodeArtifact(weighted, 'builtin-2')
    for (const length of [0, 7, 63, 64, 200, bytes.length - 1]) {
      const cut = loadBuiltinModel('builtin-2', await artifactFile(bytes.subarray(0, length)))
      await expect(cut, `${length} bytes`).rejects.toThrow(StartupError)
      await expect(cut, `${length} bytes`).rejects.toThrow(/Restore the file from the release/)
    }
  })

  it('stops the start when one bit of it has changed', async () => {
    for (const at of [16, 70, 500, 860]) {
      const bytes = encodeArtifact(weighted, 'builtin-2')
      bytes[at] = (bytes[at] ?? 0) ^ 1
      await expect(loadBuiltinModel('builtin-2', await artifactFile(bytes)), `byte ${at}`).rejects.toThrow(
        StartupError,
      )
    }
  })

  it('stops the start and names both models when it belongs to another one', async () => {
    const other = loadBuiltinModel('builtin-2', await artifactFile(encodeArtifact(weighted, 'builtin-0')))
    await expect(other).rejects.toThrow(StartupError)
    await expect(other).rejects.toThrow(
      /belongs to model builtin-0, format 2, but builtin-2, format 2 is required/,
    )
  })

  it('can be restored after a failed start without restarting the process', async () => {
    const bytes = encodeArtifact(weighted, 'builtin-2')
    const file = await artifactFile(bytes.subarray(0, 100))
    await expect(loadBuiltinModel('builtin-2', file)).rejects.toThrow(StartupError)
    await writeFile(file, bytes)
    expect((await loadBuiltinModel('builtin-2', file)).dimensions).toBe(1024)
  })
})
