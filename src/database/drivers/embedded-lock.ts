import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StartupError } from '../../kernel/errors.ts'
import { messageOf } from '../../kernel/thrown-errors.ts'

/**
 * Locks a data directory for this process until the returned function is called or the process ends.
 * Node has no file lock, but SQLite takes one that the operating system holds for every process and container on this
 * machine and releases with the process. A leftover lock therefore never has to be judged by its age or by a process id
 * that may be reused. The id in the file beside it is only for the message.
 * @throws StartupError that names the directory and the process that holds it
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

/** This process cannot write to the directory: the disk is read-only, or the directory belongs to another user. */
export function notWritable(directory: string, cause: unknown): StartupError {
  const reason = messageOf(cause)
  return new StartupError(
    `DATA_DIR: ${directory} cannot be written (${reason}). ` +
      "Give the service's user write permission for the folder and its files, or set another DATA_DIR.",
    { cause },
  )
}

const SQLITE_BUSY = 5

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY
}

/** The file is missing for an instant after the other process takes the lock. */
function readHolder(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return 'unknown'
  }
}
