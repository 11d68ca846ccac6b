import { SCAN_DIMENSIONS_MAX, ROWS_A_BLOCK, SEGMENT, UNIT_BYTES } from './block-layout.ts'

const PAGE_BYTES = 65_536
/** Pages requested from the system at a time. */
const PAGES_AT_ONCE = 64
/** The limit of WebAssembly's 32-bit addresses. */
const MEMORY_BYTES_MAX = 4_000 * 2 ** 20

const WORD = 4
const SEGMENTS_MAX = SCAN_DIMENSIONS_MAX / SEGMENT
/** Blocks per kernel call, so that the results stay in the processor's cache. */
export const BLOCKS_AT_ONCE = 16
/**
 * The layout of a thread's room, in words: a query, the units of some blocks, the sums of one block's rows, and the
 * results of all rows.
 */
const QUERY_WORDS = SCAN_DIMENSIONS_MAX + 3 * SEGMENTS_MAX
const UNITS_WORDS = BLOCKS_AT_ONCE * SEGMENTS_MAX
const OUT_WORDS = BLOCKS_AT_ONCE * ROWS_A_BLOCK
const ROOM_BYTES = WORD * (QUERY_WORDS + UNITS_WORDS + ROWS_A_BLOCK + OUT_WORDS)

/** The memory in which a thread passes arguments to the kernel. Addresses are in bytes. */
export interface Room {
  readonly query: number
  readonly units: number
  readonly sums: number
  readonly out: number
}

/** The room of a thread, numbered from 0, the same in every memory. */
export function roomOf(thread: number): Room {
  const query = thread * ROOM_BYTES
  const units = query + WORD * QUERY_WORDS
  const sums = units + WORD * UNITS_WORDS
  return { query, units, sums, out: sums + WORD * ROWS_A_BLOCK }
}

/** Addresses of units are multiples of this, so the number of a unit's memory fits below its address. */
const UNIT_ALIGNMENT = 1_024

/** The number of the memory that a unit is in. */
export function memoryOf(unit: number): number {
  return unit & (UNIT_ALIGNMENT - 1)
}

/** The address of a unit in its memory. */
export function addressOf(unit: number): number {
  return unit - memoryOf(unit)
}

/**
 * Memories shared by all threads, allocated in units of one size, so that any model can reuse any unit. The units of a
 * block are in one memory, because the kernel addresses only one.
 */
export interface SharedMemory {
  readonly memories: readonly WebAssembly.Memory[]
  /** The number of blocks of this many units that fit, now or into empty memory. */
  blocksFree(size: number): number
  blocksMax(size: number): number
  /** The units of a block; null: no room. */
  allocate(size: number): number[] | null
  release(unit: number): void
}

/**
 * Memory of at most `bytes`, requested from the system as needed. Released units are reused but never returned, because
 * WebAssembly memory cannot shrink.
 * @param threads the number of threads that have a room in each memory
 * @param bytesAMemory the most that one memory holds
 */
export function createSharedMemory({
  bytes,
  threads,
  bytesAMemory = MEMORY_BYTES_MAX,
}: {
  bytes: number
  threads: number
  bytesAMemory?: number
}): SharedMemory {
  const count = Math.max(1, Math.ceil(bytes / bytesAMemory))
  const parts = Array.from({ length: count }, (_, number) =>
    createPart(number, Math.min(bytes - number * bytesAMemory, bytesAMemory), threads),
  )
  const blocksIn = (size: number, unitsOf: (part: Part) => number): number =>
    parts.reduce((sum, part) => sum + Math.floor(unitsOf(part) / size), 0)
  return {
    memories: parts.map(({ memory }) => memory),
    blocksFree: (size) => blocksIn(size, ({ free }) => free),
    blocksMax: (size) => blocksIn(size, ({ units }) => units),
    allocate(size) {
      const part = parts.find(({ free }) => free >= size)
      return part ? Array.from({ length: size }, () => part.allocate()) : null
    },
    release: (unit) => parts[memoryOf(unit)]?.release(unit),
  }
}

/** One memory and its units. */
interface Part {
  readonly memory: WebAssembly.Memory
  /** The number of units in empty memory. */
  readonly units: number
  readonly free: number
  /** Only if one is free. */
  allocate(): number
  release(unit: number): void
}

function createPart(number: number, bytes: number, threads: number): Part {
  const units = Math.floor(bytes / UNIT_BYTES)
  const rooms = Math.ceil((threads * ROOM_BYTES) / PAGE_BYTES)
  const maximum = rooms + Math.ceil((units * UNIT_BYTES) / PAGE_BYTES)
  const memory = new WebAssembly.Memory({ initial: rooms, maximum, shared: true })
  const released: number[] = []
  let pages = rooms
  let used = 0

  function next(): number {
    const address = rooms * PAGE_BYTES + used * UNIT_BYTES
    if (address + UNIT_BYTES > pages * PAGE_BYTES) {
      const more = Math.min(PAGES_AT_ONCE, maximum - pages)
      memory.grow(more)
      pages += more
    }
    used += 1
    return address + number
  }

  return {
    memory,
    units,
    get free() {
      return units - used + released.length
    },
    allocate: () => released.pop() ?? next(),
    release: (unit) => void released.push(unit),
  }
}
