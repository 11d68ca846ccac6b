import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { keptText } from '../database/durable-files.ts'
import { StartupError } from '../kernel/errors.ts'

const KEY_BYTES = 32

/** The key of a deployment that was given none: made once in `dataDir`, for its owner only. @throws StartupError */
export async function keptEncryptionKey(dataDir: string): Promise<Buffer> {
  const file = join(dataDir, 'encryption-key')
  const text = await keptText(file, () => `${randomBytes(KEY_BYTES).toString('base64')}\n`)
  const kept = Buffer.from(text.trim(), 'base64')
  if (kept.length !== KEY_BYTES)
    throw new StartupError(`DATA_DIR: ${file} does not hold a key of ${KEY_BYTES} bytes in base64`)
  return kept
}
