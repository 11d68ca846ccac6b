import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { StartupError } from '../kernel/errors.ts'
import { makeFolder } from '../database/make-folder.ts'

const KEY_BYTES = 32

/**
 * The key of a deployment that was given none: made once in `dataDir`, readable by its owner only.
 * @throws StartupError when the file holds something else
 */
export async function keptEncryptionKey(dataDir: string): Promise<Buffer> {
  const file = join(dataDir, 'encryption-key')
  await makeFolder(dataDir)
  const key = randomBytes(KEY_BYTES)
  try {
    await writeFile(file, `${key.toString('base64')}\n`, { mode: 0o600, flag: 'wx' })
    return key
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
  const kept = Buffer.from((await readFile(file, 'utf8')).trim(), 'base64')
  if (kept.length !== KEY_BYTES)
    throw new StartupError(`DATA_DIR: ${file} does not hold a key of ${KEY_BYTES} bytes in base64`)
  return kept
}
