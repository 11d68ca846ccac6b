import { lstat, opendir, realpath } from 'node:fs/promises'
import path from 'node:path'
import { formFault } from '../form.ts'
import { ProviderError, type ProviderSession } from '../adapter.ts'

/** The real path of the folder that a user names. Refusals never reveal what else is on the machine. @throws AppError */
export async function placeOf(named: string, roots: readonly string[]): Promise<string> {
  const found = await realpath(named).catch(() => null)
  if (found === null || !(await isAllowed(found, roots)) || !(await lstat(found)).isDirectory()) {
    throw formFault(
      'path',
      "path must be a folder below one that this deployment's operator allows (FOLDER_ROOTS)",
    )
  }
  return found
}

/** Checks the folder around a walk: a removed root or missing disk must not count as a deletion. @throws ProviderError */
export async function checkPlace(
  { account: { externalAccountId: folder }, storedIds }: Pick<ProviderSession, 'account' | 'storedIds'>,
  roots: readonly string[],
): Promise<void> {
  const found = await realpath(folder).catch(() => null)
  if (found === null)
    throw new ProviderError('unavailable', `The folder ${folder} does not exist or cannot be read`)
  if (found !== folder || !(await isAllowed(folder, roots)))
    throw new ProviderError('rejected', `FOLDER_ROOTS no longer allows the folder ${folder}`)
  if ((await isEmpty(folder)) && (await storedIds({ from: '', to: null, limit: 1 })).length > 0)
    throw new ProviderError(
      'unavailable',
      `The folder ${folder} is empty, but items of it are stored: is it mounted? To delete them, remove the source`,
    )
}

/** A mount point may hold hidden files. */
async function isEmpty(folder: string): Promise<boolean> {
  try {
    for await (const { name } of await opendir(folder)) if (!name.startsWith('.')) return false
    return true
  } catch {
    // The walk says why it cannot be read.
    return false
  }
}

async function isAllowed(folder: string, roots: readonly string[]): Promise<boolean> {
  for (const root of roots) {
    const real = await realpath(root).catch(() => null)
    if (
      real !== null &&
      (folder === real || folder.startsWith(real.endsWith(path.sep) ? real : real + path.sep))
    )
      return true
  }
  return false
}
