import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Settings } from '../config.ts'
import { keptText } from '../database/kept-text.ts'
import { StartupError } from '../kernel/errors.ts'
import { createSecretCipher, type SecretCipher } from '../kernel/secret-cipher.ts'

const KEY_BYTES = 32

/** The keys that encrypt account tokens. Without a connector nothing is encrypted, so none is written to disk. */
export async function encryptionKeys(settings: Settings, isNeeded: boolean): Promise<Buffer[]> {
  if (settings.ENCRYPTION_KEY !== undefined) return settings.ENCRYPTION_KEY
  return [isNeeded ? await keptEncryptionKey(settings.DATA_DIR) : randomBytes(KEY_BYTES)]
}

/** Encrypts other secrets. Null on PostgreSQL without ENCRYPTION_KEY: each process would create a different key. */
export async function secretCipher(settings: Settings): Promise<SecretCipher | null> {
  if (settings.ENCRYPTION_KEY !== undefined) return createSecretCipher(settings.ENCRYPTION_KEY)
  return settings.DATABASE_URL === undefined
    ? createSecretCipher([await keptEncryptionKey(settings.DATA_DIR)])
    : null
}

/** The key of a deployment that was given none: made once in `dataDir`, for its owner only. @throws StartupError */
export async function keptEncryptionKey(dataDir: string): Promise<Buffer> {
  const file = join(dataDir, 'encryption-key')
  const text = await keptText(file, () => `${randomBytes(KEY_BYTES).toString('base64')}\n`)
  const kept = Buffer.from(text.trim(), 'base64')
  if (kept.length !== KEY_BYTES)
    throw new StartupError(`DATA_DIR: ${file} does not contain a key of ${KEY_BYTES} bytes in base64`)
  return kept
}
