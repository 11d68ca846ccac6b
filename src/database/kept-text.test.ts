import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { keptText } from './kept-text.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'kept-text-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

describe('keptText', () => {
  it('creates a file once, readable only by its owner, and leaves no other file', async () => {
    const file = path.join(folder, 'new', 'key')
    expect(await keptText(file, () => 'first')).toBe('first')
    expect(await keptText(file, () => 'second')).toBe('first')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await readdir(path.dirname(file))).toEqual(['key'])
  })

  it('returns the same text to all that make it at once', async () => {
    const file = path.join(folder, 'key')
    const texts = await Promise.all(Array.from({ length: 20 }, (_, n) => keptText(file, () => String(n))))
    expect(new Set(texts)).toEqual(new Set([await readFile(file, 'utf8')]))
    expect(await readdir(folder)).toEqual(['key'])
  })

  it('throws if the file cannot be read', async () => {
    await expect(keptText(folder, () => 'text')).rejects.toThrow('EISDIR')
  })
})
