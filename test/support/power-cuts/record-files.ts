import fs from 'node:fs'
import promises, { type FileHandle } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import path from 'node:path'
import { Disk, type DiskEvent } from './disk.ts'

/**
 * Records this process's changes to the files in a folder, by replacing the functions of `node:fs` that change files.
 * @returns ends the recording
 */
export function recordFiles(root: string, onEvent: (event: DiskEvent) => void): () => void {
  const recorder = new Recorder(root, onEvent)
  const putBack = [
    replace(fs, standIns({ ...fs }, recorder)),
    replace(promises, asyncStandIns({ ...promises }, recorder)),
  ]
  syncBuiltinESMExports()
  return () => {
    for (const put of putBack) put()
    syncBuiltinESMExports()
  }
}

function replace(module: object, others: object): () => void {
  const own = Object.entries(module).filter(([name]) => name in others)
  Object.assign(module, others)
  return () => void Object.assign(module, Object.fromEntries(own))
}

type Place = { folder: number; name: string }

class Recorder {
  readonly #root: string
  readonly #disk: Disk
  readonly #onEvent: (event: DiskEvent) => void
  /** File numbers by Node's descriptors. */
  readonly open = new Map<number, number>()

  constructor(root: string, onEvent: (event: DiskEvent) => void) {
    this.#root = path.resolve(root)
    this.#disk = new Disk(root)
    this.#onEvent = onEvent
  }

  event(event: DiskEvent): void {
    this.#disk.apply(event)
    this.#onEvent(event)
  }

  #names(place: unknown): string[] | null {
    const relative = path.relative(this.#root, path.resolve(String(place)))
    if (relative.startsWith('..')) return null
    return relative === '' ? [] : relative.split(path.sep)
  }

  /** The number of the file or folder at a path; undefined outside the folder, or if there is none. */
  find(place: unknown): number | undefined {
    const names = this.#names(place)
    return names === null ? undefined : this.#disk.find(names)
  }

  placeOf(place: unknown): Place | undefined {
    const names = this.#names(place)
    const name = names?.pop()
    const folder = names ? this.#disk.find(names) : undefined
    return name === undefined || folder === undefined ? undefined : { folder, name }
  }

  /** The number of the file at a path, or a new one. */
  opened(place: unknown, isTruncated: boolean): number | undefined {
    const known = this.find(place)
    if (known === undefined) return this.create(place, false)
    if (isTruncated) this.event({ kind: 'resize', id: known, size: 0 })
    return known
  }

  create(place: unknown, isFolder: boolean): number | undefined {
    const at = this.placeOf(place)
    if (!at) return undefined
    const id = this.#disk.next
    this.event({ kind: 'create', id, ...at, isFolder })
    return id
  }

  wrote(id: number | undefined, at: number, bytes: Uint8Array): void {
    if (id !== undefined) this.event({ kind: 'write', id, at, bytes: Buffer.from(bytes) })
  }

  resized(id: number | undefined, size: number): void {
    if (id !== undefined) this.event({ kind: 'resize', id, size })
  }

  flushed(id: number | undefined): void {
    if (id !== undefined) this.event({ kind: 'flush', id })
  }

  moved(from: unknown, to: unknown): void {
    const [before, after] = [this.placeOf(from), this.placeOf(to)]
    if (before && after) this.event({ kind: 'move', ...before, toFolder: after.folder, toName: after.name })
  }

  linked(from: unknown, to: unknown): void {
    const [id, at] = [this.find(from), this.placeOf(to)]
    if (id !== undefined && at) this.event({ kind: 'link', id, ...at })
  }

  removed(place: unknown): void {
    const at = this.placeOf(place)
    if (at && this.find(place) !== undefined) this.event({ kind: 'remove', ...at })
  }
}

const truncates = (flags: unknown): boolean =>
  typeof flags === 'number' ? (flags & fs.constants.O_TRUNC) !== 0 : String(flags).startsWith('w')

/** The functions that PGlite's module calls. */
function standIns(real: typeof fs, recorder: Recorder): object {
  return {
    openSync(place: string, flags: number, mode?: number) {
      const descriptor = real.openSync(place, flags, mode)
      const id = recorder.opened(place, truncates(flags))
      if (id !== undefined) recorder.open.set(descriptor, id)
      return descriptor
    },
    closeSync(descriptor: number) {
      recorder.open.delete(descriptor)
      real.closeSync(descriptor)
    },
    writeSync(descriptor: number, buffer: Uint8Array, offset: number, length: number, position: number) {
      const written = real.writeSync(descriptor, buffer, offset, length, position)
      recorder.wrote(recorder.open.get(descriptor), position, bytesOf(buffer, offset, written))
      return written
    },
    writeFileSync(place: string, data: string, options?: { mode: number }) {
      real.writeFileSync(place, data, options)
      recorder.wrote(recorder.opened(place, true), 0, Buffer.from(data))
    },
    truncateSync(place: string, size: number) {
      real.truncateSync(place, size)
      recorder.resized(recorder.find(place), size)
    },
    ftruncateSync(descriptor: number, size: number) {
      real.ftruncateSync(descriptor, size)
      recorder.resized(recorder.open.get(descriptor), size)
    },
    fsyncSync(descriptor: number) {
      real.fsyncSync(descriptor)
      recorder.flushed(recorder.open.get(descriptor))
    },
    mkdirSync(place: string, mode?: number) {
      real.mkdirSync(place, mode)
      recorder.create(place, true)
    },
    renameSync(from: string, to: string) {
      real.renameSync(from, to)
      recorder.moved(from, to)
    },
    unlinkSync(place: string) {
      real.unlinkSync(place)
      recorder.removed(place)
    },
    rmdirSync(place: string) {
      real.rmdirSync(place)
      recorder.removed(place)
    },
  }
}

/** WebAssembly's memory is an Int8Array: offsets are bytes. */
const bytesOf = ({ buffer, byteOffset }: Uint8Array, offset: number, length: number): Uint8Array =>
  new Uint8Array(buffer, byteOffset + offset, length)

/** The functions that the service calls. */
function asyncStandIns(real: typeof promises, recorder: Recorder): object {
  return {
    async open(place: string, flags: string | number = 'r', mode?: number) {
      const handle = await real.open(place, flags, mode)
      const id = recorder.opened(place, truncates(flags))
      return id === undefined ? handle : Object.assign(handle, handleStandIns(handle, id, recorder))
    },
    async writeFile(place: string, data: string, options?: { mode?: number; flag?: string }) {
      await real.writeFile(place, data, options)
      recorder.wrote(recorder.opened(place, true), 0, Buffer.from(data))
    },
    async mkdir(place: string, options?: { mode?: number; recursive?: boolean }) {
      const made = await real.mkdir(place, options)
      if (recorder.find(place) === undefined) recorder.create(place, true)
      return made
    },
    async rename(from: string, to: string) {
      await real.rename(from, to)
      recorder.moved(from, to)
    },
    async link(from: string, to: string) {
      await real.link(from, to)
      recorder.linked(from, to)
    },
    async rm(place: string, options?: { recursive?: boolean; force?: boolean }) {
      await real.rm(place, options)
      recorder.removed(place)
    },
  }
}

function handleStandIns(handle: FileHandle, id: number, recorder: Recorder): object {
  const [write, writev, sync, datasync] = [
    handle.write.bind(handle),
    handle.writev.bind(handle),
    handle.sync.bind(handle),
    handle.datasync.bind(handle),
  ]
  let end = 0
  return {
    async write(bytes: Uint8Array, offset?: number, length?: number, position?: number | null) {
      const result = await write(bytes, offset, length, position)
      const at = position ?? end
      recorder.wrote(id, at, bytes.subarray(offset ?? 0, (offset ?? 0) + result.bytesWritten))
      end = at + result.bytesWritten
      return result
    },
    async writev(buffers: Uint8Array[], position?: number | null) {
      const result = await writev(buffers, position ?? undefined)
      const at = position ?? end
      recorder.wrote(id, at, Buffer.concat(buffers).subarray(0, result.bytesWritten))
      end = at + result.bytesWritten
      return result
    },
    async writeFile(data: string) {
      const bytes = Buffer.from(data)
      await write(bytes)
      recorder.wrote(id, end, bytes)
      end += bytes.length
    },
    async sync() {
      await sync()
      recorder.flushed(id)
    },
    async datasync() {
      await datasync()
      recorder.flushed(id)
    },
  }
}
