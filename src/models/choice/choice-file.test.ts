import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createSecretCipher } from '../../kernel/secret-cipher.ts'
import { StartupError } from '../../kernel/errors.ts'
import { createChoiceFile, type Choice } from './choice-file.ts'

const OLD = new Uint8Array(32).fill(1)
const NEW = new Uint8Array(32).fill(2)
const choice: Choice = {
  chosen: {
    provider: 'openai',
    baseUrl: 'http://127.0.0.1:9/v1',
    model: 'm',
    apiKey: 'secret-of-the-server',
  },
  former: null,
}

let dataDir: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'choice-file-'))
})
afterEach(() => rm(dataDir, { recursive: true, force: true }))

const fileWith = (...keys: Uint8Array[]) =>
  createChoiceFile(dataDir, () => Promise.resolve(createSecretCipher(keys)))

describe('the file of the chosen model', () => {
  it('stores no API key that is readable without the encryption key', async () => {
    const file = fileWith(OLD)
    await file.write(choice)
    expect(await readFile(file.path, 'utf8')).not.toContain('secret')
    expect(await file.read()).toEqual(choice)
    await expect(fileWith(NEW).read()).rejects.toBeInstanceOf(StartupError)
  })

  it('needs an older encryption key only once: reading re-encrypts the API key with the first one', async () => {
    await fileWith(OLD).write(choice)
    expect(await fileWith(NEW, OLD).read()).toEqual(choice)
    expect(await fileWith(NEW).read()).toEqual(choice)
  })

  it('reports an incomplete file by name, with what to do', async () => {
    const file = fileWith(OLD)
    await writeFile(file.path, '{')
    await expect(file.read()).rejects.toThrow(`${file.path} cannot be read`)
    await expect(file.read()).rejects.toThrow('Remove it')
  })
})
