import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { z } from 'zod'
import { describeWriteError } from '../describe-file-error.ts'
import { CommandError, isMissingFile } from '../failures.ts'
import { parseJson } from '../parse-json.ts'

const FileRecord = z.object({
  /** In bytes; -1 forces a reread. */
  size: z.number(),
  modifiedMs: z.number(),
  sha256: z.string(),
  /** Items the file is stored as: 1, more for a long text, 0 without text. */
  parts: z.int().min(0),
})
/** What this machine has recorded about a file's stored document. */
export type FileRecord = z.infer<typeof FileRecord>

/** Increment it to have every file reread, when text extraction changes. */
const STATE_VERSION = 2
const StateFile = z.object({
  version: z.literal(STATE_VERSION),
  url: z.string(),
  sourceId: z.string(),
  prefix: z.string(),
  root: z.string(),
  isFolder: z.boolean(),
  files: z.record(z.string(), FileRecord),
})
/** The previous version did not record its destination; its file name does. */
const FormerStateFile = z.object({
  version: z.literal(1),
  root: z.string(),
  files: z.record(z.string(), FileRecord),
})

export interface Destination {
  url: string
  sourceId: string
}

/** The documents that imports of one folder stored at one destination under one prefix. */
export interface ImportState {
  readonly prefix: string
  /** The local folder. */
  root: string
  /** Whether the folder itself was imported, not only files in it. */
  isFolder: boolean
  /** By path relative to the folder. */
  readonly files: Map<string, FileRecord>
}

/** A folder's default prefix. */
export const prefixOf = (root: string): string => path.basename(root)

/** The user's state folder, by the system's convention. */
export function stateFolder(env: NodeJS.ProcessEnv): string {
  const windows = process.platform === 'win32' ? env.LOCALAPPDATA : undefined
  const chosen = windows ?? env.XDG_STATE_HOME
  // The convention ignores an empty and a relative folder: state would end up in the current one.
  const base = chosen && path.isAbsolute(chosen) ? chosen : path.join(os.homedir(), '.local', 'state')
  return path.join(base, 'retrieval-memory', 'imports')
}

function stateFileName(destination: Destination, prefix: string): string {
  const key = createHash('sha256')
    .update(JSON.stringify([destination.url, destination.sourceId, prefix]))
    .digest('hex')
  return `${key.slice(0, 32)}.json`
}

/** All states of a destination, plus that of `prefix` when its file does not name its prefix. */
export async function readStates(
  folder: string,
  destination: Destination,
  prefix: string,
): Promise<ImportState[]> {
  const states: ImportState[] = []
  for (const name of await stateFileNames(folder)) {
    const content = parseJson(await readState(path.join(folder, name)))
    const state = stateOf(content, destination) ?? formerStateOf(content, name, destination, prefix)
    if (state !== null) states.push(state)
  }
  return states
}

async function stateFileNames(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => /^[0-9a-f]{32}\.json$/.test(name)).toSorted()
  } catch (error) {
    if (isMissingFile(error)) return []
    throw unusable(folder, 'read', error)
  }
}

async function readState(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw unusable(path.dirname(file), 'read', error)
  }
}

const unusable = (folder: string, what: 'read' | 'written', cause: unknown): CommandError =>
  new CommandError(
    `The import state in ${folder} cannot be ${what}: ${describeWriteError(cause)}. ` +
      'Set XDG_STATE_HOME to a folder that you can write to, and run the command again; stored documents are skipped',
    { cause },
  )

// A damaged or unknown state only costs time: the service skips stored documents.
function stateOf(content: unknown, { url, sourceId }: Destination): ImportState | null {
  const { data } = StateFile.safeParse(content)
  if (data === undefined || data.url !== url || data.sourceId !== sourceId) return null
  const { prefix, root, isFolder } = data
  return { prefix, root, isFolder, files: new Map(Object.entries(data.files)) }
}

/** A state of the previous version. Its files keep their ids and are read again. */
function formerStateOf(
  content: unknown,
  name: string,
  destination: Destination,
  prefix: string,
): ImportState | null {
  const { data } = FormerStateFile.safeParse(content)
  if (data === undefined) return null
  const own = [prefix, prefixOf(data.root)].find((one) => stateFileName(destination, one) === name)
  if (own === undefined) return null
  const files = Object.entries(data.files).map(([file, record]): [string, FileRecord] => [
    file,
    { ...record, size: -1, sha256: '' },
  ])
  const isFolder = files.length > 1 || files.some(([file]) => file.includes('/'))
  return { prefix: own, root: data.root, isFolder, files: new Map(files) }
}

/** Writes a state and renames it into place, so that a crash leaves the old or the new one. */
export async function writeState(
  folder: string,
  destination: Destination,
  state: ImportState,
): Promise<void> {
  const { prefix, root, isFolder, files } = state
  const content = {
    version: STATE_VERSION,
    ...destination,
    prefix,
    root,
    isFolder,
    files: Object.fromEntries(files),
  }
  const file = path.join(folder, stateFileName(destination, prefix))
  const temporary = `${file}.${process.pid}.tmp`
  try {
    await mkdir(folder, { recursive: true })
    await writeFile(temporary, JSON.stringify(content), { mode: 0o600 })
    await rename(temporary, file)
  } catch (cause) {
    throw unusable(folder, 'written', cause)
  }
}
