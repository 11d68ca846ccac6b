import { DIMENSIONS_MAX, ROWS_A_BLOCK, SEGMENT } from './block-layout.ts'

const PAGE_BYTES = 65_536
/** Blocks of one size fill an extent, so that what one organization leaves another can use. */
const EXTENT_BYTES = 64 * PAGE_BYTES
/** WebAssembly's 32-bit addresses reach no further. */
export const MEMORY_BYTES_MAX = 4_000 * 2 ** 20

const WORD = 4
/** Blocks that are scanned in one go, so that what comes of it stays in the processor's cache. */
export const BLOCKS_AT_ONCE = 16
/** A thread's own room, in words: a question, a list of blocks, sums of one block's rows, and what all rows come to. */
const QUESTION_WORDS = DIMENSIONS_MAX + 3 * (DIMENSIONS_MAX / SEGMENT)
const OUT_WORDS = BLOCKS_AT_ONCE * ROWS_A_BLOCK
const ROOM_BYTES = WORD * (QUESTION_WORDS + BLOCKS_AT_ONCE + ROWS_A_BLOCK + OUT_WORDS)

/** Where a thread has what it hands to the kernel; addresses in bytes. */
export interface Room {
  readonly question: number
  readonly blocks: number
  readonly sums: number
  readonly out: number
}

/** The room of the thread of this number, from 0. */
export function roomOf(thread: number): Room {
  const question = thread * ROOM_BYTES
  const blocks = question + WORD * QUESTION_WORDS
  const sums = blocks + WORD * BLOCKS_AT_ONCE
  return { question, blocks, sums, out: sums + WORD * ROWS_A_BLOCK }
}

/** One piece of memory that all threads share, handed out in blocks. */
export interface SharedMemory {
  readonly memory: WebAssembly.Memory
  /** A block's address; null: there is no room for it. */
  allocate(bytes: number): number | null
  release(address: number, bytes: number): void
  /** Whether so many blocks of this size would find room if nobody else had any. */
  couldHold(blocks: number, bytes: number): boolean
  /** Whether so many blocks of this size would find room now. */
  hasRoom(blocks: number, bytes: number): boolean
}

interface Extent {
  address: number
  used: number
  free: number[]
}

/**
 * Memory of at most `bytes`, taken from the system as it is needed. What is released is used again, and never given back:
 * WebAssembly's memory does not shrink.
 * @param threads how many have a room of their own in it
 */
export function createSharedMemory({ bytes, threads }: { bytes: number; threads: number }): SharedMemory {
  const extentsMax = Math.floor(Math.min(bytes, MEMORY_BYTES_MAX) / EXTENT_BYTES)
  const rooms = Math.ceil((threads * ROOM_BYTES) / PAGE_BYTES)
  const pagesMax = rooms + (extentsMax * EXTENT_BYTES) / PAGE_BYTES
  const memory = new WebAssembly.Memory({ initial: rooms, maximum: pagesMax, shared: true })
  /** Extents in use, by the size of their blocks; those with a free block first come, first served. */
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
      if (!extent) throw new Error('a block that nobody has was released')
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
