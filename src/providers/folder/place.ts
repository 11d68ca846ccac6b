import { lstat, realpath } from 'node:fs/promises'
import path from 'node:path'
import { formFault } from '../form.ts'
import { ProviderError } from '../adapter.ts'

/** A folder by its real path, and the device that it is on. */
export interface Place {
  path: string
  device: number
}

/** The folder that a user names. Refusals never reveal what else is on the machine. @throws AppError */
export async function placeOf(named: string, roots: readonly string[]): Promise<Place> {
  const found = await realpath(named).catch(() => null)
  if (found === null || !(await isAllowed(found, roots)) || !(await lstat(found)).isDirectory()) {
    throw formFault(
      'path',
      "path must be a folder below one that this deployment's operator allows (FOLDER_ROOTS)",
    )
  }
  return { path: found, device: (await lstat(found)).dev }
}

/**
 * Checks the folder before a run: a removed root or missing disk must not count as a deletion. @throws ProviderError
 */
export async function checkPlace(
  { path: folder, device }: { path: string; device: unknown },
  roots: readonly string[],
  isEmpty: () => Promise<boolean>,
): Promise<void> {
  const found = await realpath(folder).catch(() => null)
  if (found === null)
    throw new ProviderError('unavailable', `The folder ${folder} does not exist or cannot be read`)
  if (found !== folder || !(await isAllowed(folder, roots)))
    throw new ProviderError('rejected', `FOLDER_ROOTS no longer allows the folder ${folder}`)
  if ((await lstat(folder)).dev !== device && (await isEmpty()))
    throw new ProviderError(
      'unavailable',
      `The folder ${folder} is empty and on another disk: is it mounted?`,
    )
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
