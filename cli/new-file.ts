import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { describeWriteError } from './describe-file-error.ts'
import { CommandError } from './failures.ts'

/**
 * Writes a file under a temporary name and renames it: a file with the final name is complete, and nothing is overwritten.
 * @throws CommandError if the file exists or cannot be created
 */
export async function writeNewFile<T>(
  file: string,
  write: (handle: FileHandle, part: string) => Promise<T>,
): Promise<T> {
  await refuseExisting(file)
  const part = `${file}.part`
  // It may hold documents and secrets, so only its owner may read it.
  const handle = await open(part, 'wx', 0o600).catch((cause: unknown) => {
    if (cause instanceof Error && 'code' in cause && cause.code === 'EEXIST')
      throw new CommandError(
        `${part} exists: another command is writing it, or one was killed; if so, remove it`,
        { cause },
      )
    throw new CommandError(`${file} cannot be written: ${describeWriteError(cause)}`, { cause })
  })
  try {
    const result = await write(handle, part)
    await refuseExisting(file)
    await rename(part, file)
    await flushFolder(path.dirname(file))
    return result
  } catch (error) {
    await rm(part, { force: true })
    throw error
  } finally {
    await handle.close()
  }
}

async function refuseExisting(file: string): Promise<void> {
  const exists = await stat(file).then(
    () => true,
    () => false,
  )
  if (exists) throw new CommandError(`${file} already exists; nothing was overwritten`)
}

/** Makes the rename survive a power cut. */
async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
