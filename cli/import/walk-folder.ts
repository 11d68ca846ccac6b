import type { Dirent } from 'node:fs'
import { readdir, realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import { CommandError, messageOf } from '../failures.ts'
import { type FileType, fileTypeOf } from './file-types.ts'

/** A file to import. */
export interface FoundFile {
  absolutePath: string
  /** From the folder that is imported, with forward slashes. */
  relativePath: string
  type: FileType
  /** In bytes. */
  size: number
  modifiedMs: number
}

export interface Failure {
  path: string
  reason: string
}

export interface Walk {
  files: FoundFile[]
  /** What could not be looked into. */
  failures: Failure[]
}

const FILES_MAX = 100_000
const DEPTH_MAX = 64
const NEVER_ENTERED = new Set(['.git', 'node_modules'])

/**
 * The documents below a folder, in the order of their names. Symbolic links are followed, but no folder is entered
 * twice, so that a cycle ends. Hidden files and folders only on request; `.git` and `node_modules` never.
 * @throws CommandError for more than 100,000 files
 */
export async function walkFolder(root: string, includeHidden: boolean): Promise<Walk> {
  const walk: Walk = { files: [], failures: [] }
  const entered = new Set<string>()

  async function enter(relativeFolder: string, depth: number): Promise<void> {
    const folder = path.join(root, relativeFolder)
    const real = await realpath(folder)
    if (entered.has(real)) return
    entered.add(real)
    if (depth > DEPTH_MAX) throw new Error(`more than ${DEPTH_MAX} folders deep`)
    const entries = await readdir(folder, { withFileTypes: true })
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      if (NEVER_ENTERED.has(entry.name) || (!includeHidden && entry.name.startsWith('.'))) continue
      const relativePath = relativeFolder === '' ? entry.name : `${relativeFolder}/${entry.name}`
      try {
        await visit(entry, relativePath, depth)
      } catch (error) {
        if (error instanceof CommandError) throw error
        walk.failures.push({ path: relativePath, reason: messageOf(error) })
      }
    }
  }

  async function visit(entry: Dirent, relativePath: string, depth: number): Promise<void> {
    const type = fileTypeOf(entry.name)
    if (!entry.isDirectory() && !entry.isSymbolicLink() && type === undefined) return
    const absolutePath = path.join(root, relativePath)
    if (entry.isDirectory()) return await enter(relativePath, depth + 1)
    const info = await stat(absolutePath)
    if (info.isDirectory()) return await enter(relativePath, depth + 1)
    if (!info.isFile() || type === undefined) return
    if (walk.files.length === FILES_MAX) {
      throw new CommandError(`There are more than ${FILES_MAX} files in ${root}: import its parts one by one`)
    }
    walk.files.push({ absolutePath, relativePath, type, size: info.size, modifiedMs: info.mtimeMs })
  }

  await enter('', 0)
  return walk
}
