import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { StartupError } from '../kernel/errors.ts'

/** What a restore puts after DATA_DIR's name for the folder that it unpacks into, and for what was there before. */
export const UNPACKED = '.restore-'
export const FORMER = '.before-restore-'

/**
 * Keeps a start from making an empty database where a restore was killed between its two renames: the former DATA_DIR is moved
 * aside then, and the restored one not in its place yet.
 * @param directory DATA_DIR, as a whole path
 * @throws StartupError that names both folders
 */
export async function refuseHalfRestored(directory: string): Promise<void> {
  const parent = path.dirname(directory)
  if (existsSync(directory) || !existsSync(parent)) return
  const names = await readdir(parent)
  const last = (suffix: string): string | undefined =>
    names
      .filter((name) => name.startsWith(path.basename(directory) + suffix))
      .toSorted()
      .at(-1)
  const [unpacked, former] = [last(UNPACKED), last(FORMER)]
  if (unpacked === undefined || former === undefined) return
  throw new StartupError(
    `DATA_DIR: a restore was stopped before its last step, so ${directory} is missing. What was there is in ${path.join(parent, former)}. ` +
      `Restore again, or rename that folder to go back to it; to start afresh, remove ${path.join(parent, unpacked)}`,
  )
}
