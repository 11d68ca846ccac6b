import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createSecretCipher } from './secret-cipher.ts'

const [old, current] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]

describe('the token cipher', () => {
  it('decrypts what it encrypted, and never produces the same bytes twice', () => {
    const cipher = createSecretCipher([current])
    const [first, second] = [cipher.encrypt('täst', 'row'), cipher.encrypt('täst', 'row')]
    expect(cipher.decrypt(first, 'row')).toBe('täst')
    expect(first.equals(second)).toBe(false)
    expect(first.includes(Buffer.from('täst'))).toBe(false)
  })

  it('decrypts with every key of the list, encrypts with the first, and re-encrypts what others encrypted [CONN-7]', () => {
    const before = createSecretCipher([old]).encrypt('secret', 'row')
    const cipher = createSecretCipher([current, old])
    expect(cipher.decrypt(before, 'row')).toBe('secret')
    const after = cipher.reencrypt(before, 'row') ?? before
    expect(createSecretCipher([current]).decrypt(after, 'row')).toBe('secret')
    expect(cipher.reencrypt(after, 'row')).toBeNull()
  })

  it('refuses a ciphertext of another row, of an unknown key, and a modified one [CONN-6]', () => {
    const cipher = createSecretCipher([current])
    const bytes = cipher.encrypt('secret', 'row')
    expect(() => cipher.decrypt(bytes, 'another row')).toThrow(/cannot be decrypted/)
    expect(() => createSecretCipher([old]).decrypt(bytes, 'row')).toThrow(/ENCRYPTION_KEY/)
    for (let at = 0; at < bytes.length; at++) {
      const touched = Buffer.from(bytes)
      touched.writeUInt8(touched.readUInt8(at) ^ 1, at)
      expect(() => cipher.decrypt(touched, 'row')).toThrow(/cannot be decrypted/)
    }
    expect(() => cipher.decrypt(bytes.subarray(0, 20), 'row')).toThrow(/cannot be decrypted/)
  })

  it('distinguishes keys that share an id', () => {
    const cipher = createSecretCipher([current])
    let twin = randomBytes(32)
    const encrypted = (key: Buffer) => createSecretCipher([key]).encrypt('secret', 'row')
    while (encrypted(twin)[0] !== cipher.encrypt('x', 'row')[0]) twin = randomBytes(32)
    const both = createSecretCipher([current, twin])
    expect(both.decrypt(encrypted(twin), 'row')).toBe('secret')
    expect(both.reencrypt(encrypted(twin), 'row')).not.toBeNull()
  })
})
