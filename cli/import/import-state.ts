import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { z } from 'zod'
import { CommandError, messageOf } from '../failures.ts'
import { parseJson } from '../parse-json.ts'

const FileRecord = z.object({
  size: z.number(),
  modifiedMs: z.number(),
  sha256: z.string(),
  /** Items that the file is stored as: 1, more for a long text, 0 for a file without text. */
  parts: z.int().min(0),
})
/** What the service has of a file, as far as this machine knows. */
export type FileRecord = z.infer<typeof FileRecord>

/** Another number makes every file be read again; it changes with what is extracted from files. */
const STATE_VERSION = 1
const StateFile = z.object({
  version: z.literal(STATE_VERSION),
  root: z.string(),
  files: z.record(z.string(), FileRecord),
})

/** What earlier imports of a folder stored, so that an interrupted one goes on and an unchanged file is not read. */
export interface ImportState {
  /** By path from the folder. */
  readonly files: Map<string, FileRecord>
  save(): Promise<void>
}

/** What one import's state belongs to: the same service, source and name of the folder there. */
export interface ImportTarget {
  url: string
  sourceId: string
  prefix: string
  /** The folder on this machine. */
  root: string
}

/** Where this user's programs keep their state, by the custom of the system. */
export function stateFolder(env: NodeJS.ProcessEnv): string {
  const windows = process.platform === 'win32' ? env.LOCALAPPDATA : undefined
  const base = windows ?? env.XDG_STATE_HOME ?? path.join(os.homedir(), '.local', 'state')
  return path.join(base, 'retrieval-memory', 'imports')
}

/**
 * Opens the state of an import. `force` takes it over for another folder of this machine.
 * @throws CommandError when the name at the service belongs to another folder of this machine
 */
export async function openImportState(
  folder: string,
  target: ImportTarget,
  force: boolean,
): Promise<ImportState> {
  const key = createHash('sha256')
    .update(JSON.stringify([target.url, target.sourceId, target.prefix]))
    .digest('hex')
  const file = path.join(folder, `${key.slice(0, 32)}.json`)
  const stored = await readState(file)
  if (!force && stored !== undefined && stored.root !== target.root) {
    throw new CommandError(
      `"${target.prefix}" was imported from ${stored.root} before, and its documents would be overwritten.\n` +
        'Give this folder another name with --prefix, or pass --force if it is the same folder in a new place.',
    )
  }
  const files = new Map(Object.entries(stored?.files ?? {}))
  return {
    files,
    async save() {
      const content = { version: STATE_VERSION, root: target.root, files: Object.fromEntries(files) }
      await mkdir(folder, { recursive: true })
      // Renamed into place, so that a crash leaves the old state or the new one.
      const temporary = `${file}.${process.pid}.tmp`
      await writeFile(temporary, JSON.stringify(content), { mode: 0o600 })
      await rename(temporary, file)
    },
  }
}

async function readState(file: string): Promise<z.infer<typeof StateFile> | undefined> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw new CommandError(`The import state cannot be read: ${messageOf(error)}`, { cause: error })
  }
  // Damaged or of another version: the service skips what it has, so nothing is lost but time.
  const parsed = StateFile.safeParse(parseJson(text))
  return parsed.success ? parsed.data : undefined
}
