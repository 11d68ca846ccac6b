import { mkdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { flushFolder } from './flush-folder.ts'
import { codeOf } from '../kernel/thrown-errors.ts'

/**
 * Creates a folder and its parents, for the owner only. Unlike `mkdir` with `recursive`, it ends below a folder that
 * exists but answers "no such file" for new ones, such as /proc: there `mkdir` loops forever (Node 24).
 * @throws what `mkdir` throws; ENOTDIR where a file is in the way
 */
export async function makeFolder(folder: string): Promise<void> {
  const parent = path.dirname(folder)
  const make = async (): Promise<void> => {
    try {
      await mkdir(folder, { mode: 0o700 })
    } catch (error) {
      const isThere = codeOf(error) === 'EEXIST'
      if (!isThere || !(await stat(folder)).isDirectory()) throw error
      return
    }
    // Flushing a folder needs permission to read it, which a process that may write to it can lack.
    await flushFolder(parent).catch(() => {})
  }
  try {
    await make()
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || parent === folder) throw error
    await makeFolder(parent)
    // The parent exists now, so this error is final.
    await make()
  }
}
