import { setImmediate } from 'node:timers/promises'
import type { MeaningPart } from '../inference/embedding-model.ts'
import {
  blockBytesOf,
  PAIR_BYTES,
  ROWS_A_BLOCK,
  SCALES_BYTES,
  SEGMENT,
  segmentsOf,
  UNIT_BYTES,
} from './block-layout.ts'
import { addressOf, memoryOf, type SharedMemory } from './shared-memory.ts'
import { rowBytesOf, writeRows } from './write-rows.ts'
import { inParts } from '../kernel/in-parts.ts'

export class NoRoom extends Error {
  constructor() {
    super('the memory for vectors is full')
    this.name = 'NoRoom'
  }
}

/** The item number of a free row. */
export const NO_ITEM = 0xffff_ffff
const WORD = 4
const PAIRS = SEGMENT / 2
const BLOCKS_AT_FIRST = 64
const WIPED_AT_ONCE = 256

/** Rows of quantized vectors in blocks of the shared memory. Each row belongs to a numbered item or is free. */
export class RowTable {
  readonly dimensions: number
  readonly segments: number
  readonly #shared: SharedMemory
  /** In shared memory. Threads get the parts in use. */
  #units: Uint32Array<SharedArrayBuffer>
  #rowItems = sharedWords(BLOCKS_AT_FIRST * ROWS_A_BLOCK).fill(NO_ITEM)
  readonly #positions: number[] = []
  readonly #freeRows: number[] = []
  #blocks = 0
  #rows = 0
  #written = 0

  constructor(dimensions: number, shared: SharedMemory) {
    this.dimensions = dimensions
    this.segments = segmentsOf(dimensions)
    this.#shared = shared
    this.#units = sharedWords(BLOCKS_AT_FIRST * this.segments)
  }

  /** The number of rows, including free ones between others. */
  get rows(): number {
    return this.#rows
  }

  /** The number of rows ever added, including those that reused a free one. */
  get written(): number {
    return this.#written
  }

  get blocks(): number {
    return this.#blocks
  }

  get units(): Uint32Array {
    return this.#units.subarray(0, this.#blocks * this.segments)
  }

  get rowItems(): Uint32Array {
    return this.#rowItems
  }

  /** The bytes used in the shared memory. */
  get bytes(): number {
    return this.#blocks * blockBytesOf(this.dimensions)
  }

  itemOf(row: number): number {
    return this.#rowItems[row] ?? NO_ITEM
  }

  positionOf(row: number): number {
    return this.#positions[row] ?? 0
  }

  /** Assigns a row to an item. @throws NoRoom */
  add(item: number, position: number): number {
    const row = this.#freeRows.pop() ?? this.#rows++
    if (row === this.#blocks * ROWS_A_BLOCK) this.#addBlock()
    this.#written += 1
    this.#positions[row] = position
    this.#rowItems[row] = item
    return row
  }

  write(page: Uint8Array, rows: readonly number[]): void {
    writeRows(this.#shared.memories, { dimensions: this.dimensions, page, rows, units: this.#units })
  }

  free(row: number): void {
    this.#rowItems[row] = NO_ITEM
    this.#freeRows.push(row)
  }

  #addBlock(): void {
    const units = this.#shared.allocate(this.segments)
    if (units === null) throw new NoRoom()
    if (this.#blocks * this.segments === this.#units.length) {
      this.#units = grown(this.#units, 0)
      this.#rowItems = grown(this.#rowItems, NO_ITEM)
    }
    this.#units.set(units, this.#blocks * this.segments)
    this.#blocks += 1
  }

  /** The units of a block, as bytes to read or write. */
  *bytesOf(block: number): Generator<Uint8Array> {
    for (const unit of this.#units.subarray(block * this.segments, (block + 1) * this.segments)) {
      const memory = this.#shared.memories[memoryOf(unit)]
      if (memory) yield new Uint8Array(memory.buffer, addressOf(unit), UNIT_BYTES)
    }
  }

  /** Returns a function that multiplies a row's quantized meaning part with a query's. */
  meaningOf(vector: Float32Array, { from, length }: MeaningPart): (row: number) => number {
    const memories = this.#shared.memories.map(({ buffer }) => ({
      pairs: new Int16Array(buffer),
      scales: new Float32Array(buffer),
    }))
    // Padded with zeros to whole pairs.
    const [first, end] = [from >> 1, (from + length + 1) >> 1]
    const numbers = new Float64Array(2 * (end - first))
    numbers.set(new Float16Array(vector.subarray(from, from + length)), from & 1)
    return (row) => {
      const place = row % ROWS_A_BLOCK
      const block = Math.floor(row / ROWS_A_BLOCK) * this.segments
      const memory = memories[memoryOf(this.#units[block] ?? 0)]
      if (memory === undefined) return 0
      const { pairs, scales } = memory
      let sum = 0
      for (let pair = first, at = 0; pair < end;) {
        const segment = Math.floor(pair / PAIRS)
        const unit = addressOf(this.#units[block + segment] ?? 0)
        let pairAt = (unit + SCALES_BYTES + (pair - segment * PAIRS) * PAIR_BYTES) / 2 + place
        let ofSegment = 0
        for (const last = Math.min(end, (segment + 1) * PAIRS); pair < last; pair++, at += 2) {
          const both = pairs[pairAt] ?? 0
          ofSegment += (numbers[at] ?? 0) * ((both << 24) >> 24)
          ofSegment += (numbers[at + 1] ?? 0) * (both >> 8)
          pairAt += PAIR_BYTES / 2
        }
        sum += ofSegment * (scales[unit / WORD + place] ?? 0)
      }
      return sum
    }
  }

  /** Overwrites free rows and leftovers of earlier owners in the blocks. @throws the reason of `signal` */
  async wipe(signal: AbortSignal): Promise<void> {
    const end = this.#blocks * ROWS_A_BLOCK
    const free = [...this.#freeRows, ...Array.from({ length: end - this.#rows }, (_, at) => this.#rows + at)]
    const nothing = new Uint8Array(WIPED_AT_ONCE * rowBytesOf(this.dimensions))
    for (const rows of inParts(free, WIPED_AT_ONCE)) {
      await setImmediate()
      signal.throwIfAborted()
      this.write(nothing, rows)
    }
  }

  /** Releases the memory. The caller must not scan it afterwards. */
  release(): void {
    for (const unit of this.units) this.#shared.release(unit)
    this.#blocks = 0
  }
}

function sharedWords(count: number): Uint32Array<SharedArrayBuffer> {
  return new Uint32Array(new SharedArrayBuffer(count * WORD))
}

function grown(words: Uint32Array, filling: number): Uint32Array<SharedArrayBuffer> {
  const larger = sharedWords(2 * words.length)
  larger.set(words)
  return larger.fill(filling, words.length)
}
