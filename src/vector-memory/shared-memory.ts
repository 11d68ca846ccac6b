import { DIMENSIONS_MAX, ROWS_A_BLOCK, SEGMENT } from './block-layout.ts'

const PAGE_BYTES = 65_536
/** An extent has blocks of one size. An empty extent can serve another organization. */
const EXTENT_BYTES = 64 * PAGE_BYTES
/** Limit of WebAssembly's 32-bit addresses. */
export const MEMORY_BYTES_MAX = 4_000 * 2 ** 20

const WORD = 4
/** Blocks per kernel call, so that the results stay in the processor's cache. */
export const BLOCKS_AT_ONCE = 16
/**
 * Layout of a thread's room, in words: a question, a list of blocks, the sums of one block's rows, and the
 * results of all rows.
 */
const QUESTION_WORDS = DIMENSIONS_MAX + 3 * (DIMENSIONS_MAX / SEGMENT)
const OUT_WORDS = BLOCKS_AT_ONCE * ROWS_A_BLOCK
const ROOM_BYTES = WORD * (QUESTION_WORDS + BLOCKS_AT_ONCE + ROWS_A_BLOCK + OUT_WORDS)

/** Where a thread passes arguments to the kernel; addresses in bytes. */
export interface Room {
  readonly question: number
  readonly blocks: number
  readonly sums: number
  readonly out: number
}

/** The room of a thread; numbers start at 0. */
export function roomOf(thread: number): Room {
  const question = thread * ROOM_BYTES
  const blocks = question + WORD * QUESTION_WORDS
  const sums = blocks + WORD * BLOCKS_AT_ONCE
  return { question, blocks, sums, out: sums + WORD * ROWS_A_BLOCK }
}

/** Memory that all threads share, allocated in blocks. */
export interface SharedMemory {
  readonly memory: WebAssembly.Memory
  /** The block's address; null: no room. */
  allocate(bytes: number): number | null
  release(address: number, bytes: number): void
  /** Whether this many blocks would fit into empty memory. */
  couldHold(blocks: number, bytes: number): boolean
  /** Whether this many blocks fit now. */
  hasRoom(blocks: number, bytes: number): boolean
}

interface Extent {
  address: number
  used: number
  free: number[]
}

/**
 * Memory of at most `bytes`, requested from the system as needed. Released blocks are reused but never
 * returned: WebAssembly memory cannot shrink.
 * @param threads threads that have a room in it
 */
export function createSharedMemory({ bytes, threads }: { bytes: number; threads: number }): SharedMemory {
  const extentsMax = Math.floor(Math.min(bytes, MEMORY_BYTES_MAX) / EXTENT_BYTES)
  const rooms = Math.ceil((threads * ROOM_BYTES) / PAGE_BYTES)
  const pagesMax = rooms + (extentsMax * EXTENT_BYTES) / PAGE_BYTES
  const memory = new WebAssembly.Memory({ initial: rooms, maximum: pagesMax, shared: true })
  /** Extents in use, by block size; those with a free block, in the order they got one. */
  const bySize = new Map<number, Map<number, Extent>>()
  const withRoom = new Map<number, Set<Extent>>()
  const empty: number[] = []
  let taken = 0

  function newExtent(size: number): Extent | null {
    let address = empty.pop()
    if (address === undefined) {
      if (taken === extentsMax) return null
      address = memory.grow(EXTENT_BYTES / PAGE_BYTES) * PAGE_BYTES
      taken += 1
    }
    const start = address
    const count = Math.floor(EXTENT_BYTES / size)
    const free = Array.from({ length: count }, (_, index) => start + (count - 1 - index) * size)
    const extent = { address, used: 0, free }
    of(bySize, size, () => new Map<number, Extent>()).set(address, extent)
    return extent
  }

  return {
    memory,
    allocate(size) {
      const open = of(withRoom, size, () => new Set<Extent>())
      const extent = open.values().next().value ?? newExtent(size)
      const address = extent?.free.pop()
      if (!extent || address === undefined) return null
      extent.used += 1
      if (extent.free.length === 0) open.delete(extent)
      else open.add(extent)
      return address
    },
    release(address, size) {
      const start = extentStart(address, rooms)
      const extent = bySize.get(size)?.get(start)
      if (!extent) throw new Error('a block that was not allocated was released')
      extent.used -= 1
      extent.free.push(address)
      const open = of(withRoom, size, () => new Set<Extent>())
      if (extent.used > 0) {
        open.add(extent)
        return
      }
      open.delete(extent)
      bySize.get(size)?.delete(start)
      empty.push(start)
    },
    couldHold: (blocks, size) => extentsMax * Math.floor(EXTENT_BYTES / size) >= blocks,
    hasRoom(blocks, size) {
      let free = (empty.length + extentsMax - taken) * Math.floor(EXTENT_BYTES / size)
      for (const extent of withRoom.get(size) ?? []) free += extent.free.length
      return free >= blocks
    },
  }
}

function extentStart(address: number, roomPages: number): number {
  const from = roomPages * PAGE_BYTES
  return from + Math.floor((address - from) / EXTENT_BYTES) * EXTENT_BYTES
}

function of<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}
