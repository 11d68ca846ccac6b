import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** Changes to a folder on disk, in order. Files and folders have numbers, because their names change. */
export type DiskEvent =
  | { kind: 'create'; id: number; folder: number; name: string; isFolder: boolean }
  | { kind: 'write'; id: number; at: number; bytes: Buffer }
  | { kind: 'resize'; id: number; size: number }
  | { kind: 'flush'; id: number }
  | { kind: 'link'; id: number; folder: number; name: string }
  | { kind: 'move'; folder: number; name: string; toFolder: number; toName: string }
  | { kind: 'remove'; folder: number; name: string }

interface Numbered {
  id: number
  /** The folder that contains it, and the number of that folder's changes up to the one that named it. */
  link: { folder: Folder; changes: number } | null
}
type Change = { at: number; bytes: Buffer } | { size: number }
interface File extends Numbered {
  isFolder: false
  flushed: Buffer
  changes: Change[]
}
type Naming = readonly (readonly [name: string, entry: Entry | null])[]
interface Folder extends Numbered {
  isFolder: true
  /** The current state, the flushed state, and the changes between them. */
  entries: Map<string, Entry>
  flushed: Map<string, Entry>
  changes: Naming[]
  flushedChanges: number
}
type Entry = File | Folder

/** The unit that a disk writes completely or not at all. */
const SECTOR_BYTES = 512

/**
 * A disk in memory that tracks what was flushed. It guarantees less than ext4, XFS and Btrfs: a flush keeps only the file, its
 * name and the earlier changes to names in its folder.
 */
export class Disk {
  readonly #entries: Entry[] = []
  readonly #root: Folder

  constructor(root: string) {
    this.#root = this.#load(root)
  }

  /** Reads a folder as completely flushed. Numbers follow from names, so that two disks of a folder have the same. */
  #load(root: string): Folder {
    const folder = this.#add(folderOf(this.next))
    for (const entry of readdirSync(root, { withFileTypes: true }).toSorted((a, b) =>
      a.name < b.name ? -1 : 1,
    )) {
      const place = path.join(root, entry.name)
      const child = entry.isDirectory()
        ? this.#load(place)
        : this.#add(fileOf(this.next, readFileSync(place)))
      folder.entries.set(entry.name, child)
      folder.flushed.set(entry.name, child)
      child.link = { folder, changes: 0 }
    }
    return folder
  }

  #add<T extends Entry>(entry: T): T {
    this.#entries.push(entry)
    return entry
  }

  /** The number of the file or folder at a path below the root; undefined if there is none. */
  find(names: readonly string[]): number | undefined {
    let entry: Entry | undefined = this.#root
    for (const name of names) entry = entry?.isFolder ? entry.entries.get(name) : undefined
    return entry?.id
  }

  /** The number of the next new file. */
  get next(): number {
    return this.#entries.length
  }

  apply(event: DiskEvent): void {
    switch (event.kind) {
      case 'create': {
        const entry = this.#add(event.isFolder ? folderOf(event.id) : fileOf(event.id, Buffer.alloc(0)))
        return this.#name(this.#folder(event.folder), [[event.name, entry]])
      }
      case 'write':
        return void this.#file(event.id).changes.push({ at: event.at, bytes: event.bytes })
      case 'resize':
        return void this.#file(event.id).changes.push({ size: event.size })
      case 'flush':
        return flush(this.#entry(event.id))
      case 'link':
        return this.#name(this.#folder(event.folder), [[event.name, this.#entry(event.id)]])
      case 'move': {
        const [from, to] = [this.#folder(event.folder), this.#folder(event.toFolder)]
        const entry = from.entries.get(event.name) ?? null
        if (from === to)
          return this.#name(from, [
            [event.name, null],
            [event.toName, entry],
          ])
        this.#name(to, [[event.toName, entry]])
        return this.#name(from, [[event.name, null]])
      }
      case 'remove':
        return this.#name(this.#folder(event.folder), [[event.name, null]])
    }
  }

  #name(folder: Folder, naming: Naming): void {
    folder.changes.push(naming)
    setNames(folder.entries, naming)
    for (const [, entry] of naming)
      if (entry) entry.link = { folder, changes: folder.flushedChanges + folder.changes.length }
  }

  #entry(id: number): Entry {
    const entry = this.#entries[id]
    if (!entry) throw new Error(`nothing has the number ${id}`)
    return entry
  }

  #file(id: number): File {
    const entry = this.#entry(id)
    if (entry.isFolder) throw new Error('a folder is no file')
    return entry
  }

  #folder(id: number): Folder {
    const entry = this.#entry(id)
    if (!entry.isFolder) throw new Error('a file is no folder')
    return entry
  }

  /**
   * Writes the files as a power cut at this moment leaves them: everything flushed, and a random part of the rest. Sectors of a
   * write are kept independently; changes to a folder's names are kept up to some point.
   * @param share the part of the rest that is kept, 0 to 1
   */
  writeAfterCut(target: string, random: () => number, share: number): void {
    const writeFolder = (folder: Folder, place: string): void => {
      mkdirSync(place)
      const names = new Map(folder.flushed)
      for (const naming of folder.changes.slice(0, keptChanges(folder.changes.length, random, share)))
        setNames(names, naming)
      for (const [name, entry] of names) {
        const inside = path.join(place, name)
        if (entry.isFolder) writeFolder(entry, inside)
        else
          writeFileSync(
            inside,
            contentAfterCut(entry, () => random() < share),
            { mode: 0o600 },
          )
      }
    }
    writeFolder(this.#root, target)
  }
}

const folderOf = (id: number): Folder => ({
  id,
  isFolder: true,
  entries: new Map(),
  flushed: new Map(),
  changes: [],
  flushedChanges: 0,
  link: null,
})

const fileOf = (id: number, flushed: Buffer): File => ({
  id,
  isFolder: false,
  flushed,
  changes: [],
  link: null,
})

function setNames(names: Map<string, Entry>, naming: Naming): void {
  for (const [name, entry] of naming) {
    if (entry) names.set(name, entry)
    else names.delete(name)
  }
}

function keptChanges(count: number, random: () => number, share: number): number {
  if (share === 0 || share === 1) return count * share
  return Math.floor(random() * (count + 1))
}

function flush(entry: Entry): void {
  if (entry.isFolder) flushNames(entry, entry.flushedChanges + entry.changes.length)
  else {
    // A file of the log has 16 MB and is flushed with each commit.
    const isInside = entry.changes.every(
      (change) => !('size' in change) && change.at + change.bytes.length <= entry.flushed.length,
    )
    if (!isInside) entry.flushed = contentAfterCut(entry, () => true)
    else
      for (const change of entry.changes) if ('bytes' in change) change.bytes.copy(entry.flushed, change.at)
    entry.changes = []
  }
  for (let { link } = entry; link; { link } = link.folder) flushNames(link.folder, link.changes)
}

function flushNames(folder: Folder, upTo: number): void {
  for (const naming of folder.changes.splice(0, Math.max(0, upTo - folder.flushedChanges))) {
    setNames(folder.flushed, naming)
    folder.flushedChanges += 1
  }
}

/** A file's bytes after the kept changes or sectors. */
function contentAfterCut({ flushed, changes }: File, isKept: () => boolean): Buffer {
  const sizes = changes.map((change) => ('size' in change ? change.size : change.at + change.bytes.length))
  const content = Buffer.alloc(Math.max(flushed.length, ...sizes))
  flushed.copy(content)
  let size = flushed.length
  for (const change of changes) {
    if ('size' in change) {
      if (!isKept()) continue
      content.fill(0, Math.min(size, change.size), Math.max(size, change.size))
      size = change.size
      continue
    }
    const end = change.at + change.bytes.length
    for (let at = change.at; at < end;) {
      const next = Math.min(end, (Math.floor(at / SECTOR_BYTES) + 1) * SECTOR_BYTES)
      if (isKept()) {
        change.bytes.copy(content, at, at - change.at, next - change.at)
        size = Math.max(size, next)
      }
      at = next
    }
  }
  return content.subarray(0, size)
}
