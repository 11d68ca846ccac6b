import { mkdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { flushFolder } from './flush-folder.ts'

/**
 * Makes a folder and those above it, as `mkdir` with `recursive` does, which comes to no end below a folder that exists
 * and yet takes no new ones with "no such file", such as /proc (Node 24). Those that are made are open to their owner alone.
 * @throws what `mkdir` throws; ENOTDIR where a file is in the way
 */
export async function makeFolder(folder: string): Promise<void> {
  const parent = path.dirname(folder)
  const make = async (): Promise<void> => {
    try {
      await mkdir(folder, { mode: 0o700 })
    } catch (error) {
      const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST'
      if (!isThere || !(await stat(folder)).isDirectory()) throw error
      return
    }
    // Who may write to a folder need not be able to read it, which flushing takes.
    await flushFolder(parent).catch(() => {})
  }
  try {
    await make()
  } catch (error) {
    if (!isMissing(error) || parent === folder) throw error
    await makeFolder(parent)
    // Where the parent is there now, or was before, this is the last word.
    await make()
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}
