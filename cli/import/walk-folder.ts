import type { Dirent } from 'node:fs'
import { readdir, readlink, realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import { type TextFormat, textFormatOf } from '../../src/file-text/index.ts'
import { CommandError, isMissingFile } from '../failures.ts'
import { describeFileError } from '../describe-file-error.ts'

export interface FoundFile {
  absolutePath: string
  /** Relative to the imported folder, with forward slashes. */
  relativePath: string
  format: TextFormat
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
  failures: Failure[]
  /** Skipped files and folders by kind: `.png`, `hidden`, `node_modules`. */
  passedOver: Map<string, number>
}

const FILES_MAX = 100_000
const DEPTH_MAX = 64
const NEVER_ENTERED = new Set(['.git', 'node_modules'])

/**
 * The documents below a folder in name order. Follows symbolic links but enters no folder twice, so that cycles end.
 * Includes hidden files and folders only on request; `.git` and `node_modules` never.
 * @throws CommandError for more than 100,000 files
 */
export async function walkFolder(
  root: string,
  includeHidden: boolean,
  formatOf: typeof textFormatOf = textFormatOf,
): Promise<Walk> {
  const walk: Walk = { files: [], failures: [], passedOver: new Map() }
  const entered = new Set<string>()
  const passOver = (kind: string) => void walk.passedOver.set(kind, (walk.passedOver.get(kind) ?? 0) + 1)

  async function enter(relativeFolder: string, depth: number): Promise<void> {
    const folder = path.join(root, relativeFolder)
    const real = await realpath(folder)
    if (entered.has(real)) return
    entered.add(real)
    if (depth > DEPTH_MAX) throw new Error(`it is more than ${DEPTH_MAX} folders deep`)
    const entries = await readdir(folder, { withFileTypes: true })
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const kind = kindPassedOver(entry.name, includeHidden)
      if (kind !== null) {
        passOver(kind)
        continue
      }
      const relativePath = relativeFolder === '' ? entry.name : `${relativeFolder}/${entry.name}`
      try {
        await visit(entry, relativePath, depth)
      } catch (error) {
        if (error instanceof CommandError) throw error
        walk.failures.push({ path: relativePath, reason: await troubleWith(entry, folder, error) })
      }
    }
  }

  async function visit(entry: Dirent, relativePath: string, depth: number): Promise<void> {
    const format = formatOf('', entry.name)
    if (!entry.isDirectory() && !entry.isSymbolicLink() && format === null)
      return passOver(endingOf(entry.name))
    const absolutePath = path.join(root, relativePath)
    if (entry.isDirectory()) return await enter(relativePath, depth + 1)
    const info = await stat(absolutePath)
    if (info.isDirectory()) return await enter(relativePath, depth + 1)
    if (!info.isFile() || format === null) return passOver(endingOf(entry.name))
    if (walk.files.length === FILES_MAX) {
      throw new CommandError(
        `There are more than ${FILES_MAX} files in ${root}: import its subfolders one at a time`,
      )
    }
    walk.files.push({ absolutePath, relativePath, format, size: info.size, modifiedMs: info.mtimeMs })
  }

  await enter('', 0)
  return walk
}

/** The kind of an entry skipped by its name; null otherwise. */
function kindPassedOver(name: string, includeHidden: boolean): string | null {
  if (NEVER_ENTERED.has(name)) return name
  // Office's lock file next to an open document.
  if (name.startsWith('~$')) return 'Office lock files'
  return name.startsWith('.') && !includeHidden ? 'hidden' : null
}

function endingOf(name: string): string {
  const ending = path.extname(name).toLowerCase()
  if (ending === '') return 'without an extension'
  return /^\.[a-z0-9_+-]{1,12}$/.test(ending) ? ending : 'other endings'
}

async function troubleWith(entry: Dirent, folder: string, error: unknown): Promise<string> {
  if (isMissingFile(error) && entry.name.includes('\ufffd')) return 'its name is not UTF-8; rename it'
  if (!entry.isSymbolicLink() || !isMissingFile(error)) return describeFileError(error)
  const target = await readlink(path.join(folder, entry.name)).catch(() => 'a file')
  return `it is a link to ${target}, which does not exist`
}
