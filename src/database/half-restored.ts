import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { StartupError } from '../kernel/errors.ts'

/** A restore appends these to DATA_DIR's name: for the folder that it unpacks into, and for the previous data. */
export const UNPACKED = '.restore-'
export const FORMER = '.before-restore-'

/**
 * Keeps a start from creating an empty database after a restore was killed between its two renames: it has moved the
 * previous DATA_DIR aside, and not yet moved the restored one into place.
 * @param directory DATA_DIR, as an absolute path
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
    `DATA_DIR: a restore was stopped before its last step, so ${directory} is missing. The previous data is in ${path.join(parent, former)}. ` +
      `Restore again, or rename that folder to go back to it; to start with an empty one, remove ${path.join(parent, unpacked)}`,
  )
}
