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
  const lock = new DatabaseSync(path.join(directory, 'database.lock'), { timeout: 0 })
  try {
    lock.exec('pragma journal_mode = memory; pragma locking_mode = exclusive; begin exclusive')
  } catch (error) {
    lock.close()
    if (!isBusy(error)) throw new StartupError(`DATA_DIR: ${directory} cannot be locked`, { cause: error })
    throw new StartupError(
      `DATA_DIR: ${directory} is in use by another instance (process ${readHolder(holderFile)}). Stop it, or set another DATA_DIR.`,
      { cause: error },
    )
  }
  writeFileSync(holderFile, `${process.pid}\n`)
  return () => lock.close()
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
