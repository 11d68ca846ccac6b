/**
 * The record of earlier imports on this machine: interrupted imports resume and unchanged files are skipped.
 * A file keeps its first id, whatever folder or working directory it is imported from, so it stays one item.
 */
import path from 'node:path'
import { CommandError } from '../failures.ts'
import {
  type Destination,
  type FileRecord,
  type ImportState,
  prefixOf,
  readStates,
  writeState,
} from './state-files.ts'

/** A file's location among imported folders. */
export interface Place {
  readonly state: ImportState
  /** Relative to the state's folder, with forward slashes. */
  readonly path: string
}

export interface ImportNotes {
  placeOf(absolutePath: string): Place
  recordOf(place: Place): FileRecord | undefined
  note(place: Place, record: FileRecord): void
  forget(place: Place): void
  /** The stored files below a local folder. */
  placesBelow(folder: string): Place[]
  save(): Promise<void>
}

export interface ImportedPath {
  /** The folder, or the folder of the one file. */
  root: string
  isFolder: boolean
  /** The prefix chosen by the user. */
  prefix: string | null
}

export function nameOf({ state, path: file }: Place): string {
  return state.prefix === '' ? file : `${state.prefix}/${file}`
}

/** Opens a destination's notes; `force` takes a prefix over from another folder. @throws CommandError */
export async function openImportNotes(
  folder: string,
  destination: Destination,
  imported: ImportedPath,
  force: boolean,
): Promise<ImportNotes> {
  const prefix = imported.prefix ?? prefixOf(imported.root)
  const known = await readStates(folder, destination, prefix)
  const home = chooseHome(known, imported, prefix, force)
  const touched = new Set([home])
  const places = new Map<string, Place>()
  // The home comes last, so that its own entries win.
  const shared = imported.prefix === null ? known.filter((state) => state !== home) : []
  for (const state of [...shared, home]) {
    for (const file of state.files.keys()) places.set(path.join(state.root, file), { state, path: file })
  }
  return {
    placeOf: (absolutePath) =>
      places.get(absolutePath) ?? { state: home, path: pathFrom(home.root, absolutePath) },
    recordOf: (place) => place.state.files.get(place.path),
    note(place, record) {
      place.state.files.set(place.path, record)
      touched.add(place.state)
    },
    forget(place) {
      place.state.files.delete(place.path)
      touched.add(place.state)
    },
    placesBelow: (below) => [...places].filter(([file]) => isWithin(below, file)).map(([, place]) => place),
    async save() {
      for (const state of touched) await writeState(folder, destination, state)
    },
  }
}

/** The state for new files: that of the nearest imported folder around them, else one named after the folder. */
function chooseHome(
  known: readonly ImportState[],
  imported: ImportedPath,
  prefix: string,
  force: boolean,
): ImportState {
  const around = known
    .filter((state) => imported.prefix === null && state.isFolder && isWithin(state.root, imported.root))
    .toSorted(
      (a, b) => b.root.length - a.root.length || Number(b.prefix === prefix) - Number(a.prefix === prefix),
    )
  const [nearest] = around
  if (nearest !== undefined) return nearest
  const named = known.find((state) => state.prefix === prefix)
  if (named === undefined)
    return { prefix, root: imported.root, isFolder: imported.isFolder, files: new Map() }
  if (named.root !== imported.root && !force) {
    throw new CommandError(
      `"${prefix}" was imported from ${named.root} before, and its documents would be overwritten.\n` +
        'Give this folder another name with --prefix, or pass --force if it is the same folder in a new place.',
    )
  }
  named.root = imported.root
  named.isFolder ||= imported.isFolder
  return named
}

function isWithin(folder: string, file: string): boolean {
  return file === folder || file.startsWith(folder.endsWith(path.sep) ? folder : folder + path.sep)
}

const pathFrom = (root: string, file: string) => path.relative(root, file).replaceAll(path.sep, '/')
