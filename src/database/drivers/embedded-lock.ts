import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StartupError } from '../../kernel/errors.ts'

/**
 * Keeps a data directory for this process until the returned function is called or the process ends, however it ends.
 *
 * Node has no file lock of its own, but SQLite takes one: the operating system holds it on the file, for every process
 * and container on this machine, and gives it up with the process. So no leftover has to be judged by its age or by
 * a process id that may be someone else's by now. The id in the file beside it is only for the message.
 * @throws StartupError that names the directory and the process that has it.
 */
export function lockDirectory(directory: string): () => void {
  const holderFile = path.join(directory, 'database.pid')
  let lock: DatabaseSync | undefined
  try {
    lock = new DatabaseSync(path.join(directory, 'database.lock'), { timeout: 0 })
    lock.exec('pragma journal_mode = memory; pragma locking_mode = exclusive; begin exclusive')
    writeFileSync(holderFile, `${process.pid}\n`)
  } catch (error) {
    lock?.close()
    if (!isBusy(error)) throw notWritable(directory, error)
    throw new StartupError(
      `DATA_DIR: ${directory} is in use by another instance (process ${readHolder(holderFile)}). Stop it, or set another DATA_DIR.`,
      { cause: error },
    )
  }
  return () => lock.close()
}

/** A directory that this process may not write into: on a read-only disk, or another user's. */
export function notWritable(directory: string, cause: unknown): StartupError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new StartupError(
    `DATA_DIR: ${directory} cannot be written (${reason}). ` +
      "Give the service's user the right to write there and to the files in it, or set another DATA_DIR.",
    { cause },
  )
}

const SQLITE_BUSY = 5

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY
}

/** Unknown for the instant between the other's lock and its writing of the file. */
function readHolder(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return 'unknown'
  }
}
