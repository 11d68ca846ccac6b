import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'

/** Bytes of a key id, of an IV (NIST SP 800-38D, 8.2.1) and of a tag. */
const KEY_ID_BYTES = 1
const IV_BYTES = 12
const TAG_BYTES = 16

/** No key decrypts the ciphertext, or it was modified or moved. */
export class UndecryptableSecret extends Error {
  constructor() {
    super('a stored secret cannot be decrypted: was its key removed from ENCRYPTION_KEY?')
    this.name = 'UndecryptableSecret'
  }
}

export interface SecretCipher {
  /** Encrypts for one place: `context` names the row, so that a ciphertext moved to another row does not decrypt. */
  encrypt(text: string, context: string): Buffer
  /** @throws UndecryptableSecret when no key fits, or the ciphertext was modified or moved */
  decrypt(ciphertext: Uint8Array, context: string): string
  /** The secret encrypted with the first key; null when it already is. @throws UndecryptableSecret */
  reencrypt(ciphertext: Uint8Array, context: string): Buffer | null
}

/** AES-256-GCM with the first key; all keys decrypt. A ciphertext: key id (a byte of its SHA-256), IV, text, tag. */
export function createSecretCipher(keys: readonly Uint8Array[]): SecretCipher {
  const known = keys.map((key) => ({ key, id: idOf(key) }))
  const [first] = known
  if (!first) throw new Error('a cipher needs a key')

  const encrypt = (text: string, context: string): Buffer => {
    const iv = randomBytes(IV_BYTES)
    const cipher = createCipheriv('aes-256-gcm', first.key, iv).setAAD(Buffer.from(context))
    const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
    return Buffer.concat([Buffer.of(first.id), iv, encrypted, cipher.getAuthTag()])
  }

  const decrypt = (ciphertext: Uint8Array, context: string): string => {
    // Two keys may share an id: one in 256 does.
    for (const { key } of known.filter(({ id }) => id === ciphertext[0])) {
      const text = open(ciphertext, key, context)
      if (text !== undefined) return text
    }
    throw new UndecryptableSecret()
  }

  return {
    encrypt,
    decrypt,
    reencrypt(ciphertext, context) {
      if (ciphertext[0] === first.id && open(ciphertext, first.key, context) !== undefined) return null
      return encrypt(decrypt(ciphertext, context), context)
    },
  }
}

function open(ciphertext: Uint8Array, key: Uint8Array, context: string): string | undefined {
  const bytes = Buffer.from(ciphertext)
  if (bytes.length < KEY_ID_BYTES + IV_BYTES + TAG_BYTES) return undefined
  const iv = bytes.subarray(KEY_ID_BYTES, KEY_ID_BYTES + IV_BYTES)
  const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(context))
    .setAuthTag(bytes.subarray(-TAG_BYTES))
  const text = decipher.update(bytes.subarray(KEY_ID_BYTES + IV_BYTES, -TAG_BYTES))
  try {
    return Buffer.concat([text, decipher.final()]).toString('utf8')
  } catch {
    // The tag does not match: another key, or modified text.
    return undefined
  }
}

function idOf(key: Uint8Array): number {
  return createHash('sha256').update(key).digest().readUInt8(0)
}
