import { PAIR_BYTES, ROWS_A_BLOCK, SCALES_BYTES, SEGMENT, segmentsOf } from './block-layout.ts'
import { addressOf, memoryOf } from './shared-memory.ts'

/** The bytes of a row's key in a page: ID, position and vector, by `uuid_send`, `int4send`, `halfvec_send`. */
export const KEY_BYTES = 20
const VECTOR_HEAD_BYTES = 4

/** The bytes of a row from the database, with its key. */
export function rowBytesOf(dimensions: number): number {
  return KEY_BYTES + VECTOR_HEAD_BYTES + 2 * dimensions
}

export interface WriteJob {
  dimensions: number
  page: Uint8Array
  /** The target row of each row of the page. */
  rows: readonly number[]
  units: Uint32Array
}

const BYTE_STEPS = 127
/** The number of rows quantized together, so that the writes are adjacent. */
const ROWS_A_TILE = 32
const PAIRS = SEGMENT / 2
let halves: Float64Array | undefined

/** The value of every half-precision number, by its bits. */
function halfValues(): Float64Array {
  return (halves ??= Float64Array.from(
    new Float16Array(Uint16Array.from({ length: 65_536 }, (_, bits) => bits).buffer),
  ))
}

/** Quantizes normalized rows to bytes: each segment has steps of 1/127 of its greatest number. */
export function writeRows(
  memories: readonly WebAssembly.Memory[],
  { dimensions, page, rows, units }: WriteJob,
): void {
  const segments = segmentsOf(dimensions)
  const tile = new Tile(segments)
  for (let first = 0; first < rows.length;) {
    const row = rows[first] ?? 0
    const block = Math.floor(row / ROWS_A_BLOCK) * segments
    const count = tileAt(rows, first)
    tile.read(page, { first, count, dimensions })
    const buffer = memories[memoryOf(units[block] ?? 0)]?.buffer
    if (buffer === undefined) throw new Error('a block is in no memory')
    tile.write(buffer, units.subarray(block, block + segments), { place: row % ROWS_A_BLOCK, count })
    first += count
  }
}

/** Rows that are adjacent in a block. */
class Tile {
  readonly #segments: number
  readonly #vector: Float64Array
  readonly #bytes: Int8Array<ArrayBuffer>
  readonly #pairs: Int16Array
  /** Of each row, by segment. */
  readonly #scales: Float32Array

  constructor(segments: number) {
    this.#segments = segments
    this.#vector = new Float64Array(segments * SEGMENT)
    this.#bytes = new Int8Array(ROWS_A_TILE * this.#vector.length)
    this.#pairs = new Int16Array(this.#bytes.buffer)
    this.#scales = new Float32Array(ROWS_A_TILE * segments)
  }

  /** Quantizes rows of a page. */
  read(
    page: Uint8Array,
    { first, count, dimensions }: { first: number; count: number; dimensions: number },
  ): void {
    const rowBytes = rowBytesOf(dimensions)
    for (let row = 0; row < count; row++) {
      const from = (first + row) * rowBytes + KEY_BYTES + VECTOR_HEAD_BYTES
      readNormalized(page, from, dimensions, this.#vector)
      for (let segment = 0; segment < this.#segments; segment++)
        this.#scales[segment * ROWS_A_TILE + row] = toBytes(this.#vector, segment, this.#bytes, row)
    }
  }

  /** Writes the rows into the units of a block, from a place in it. */
  write(
    buffer: SharedArrayBuffer,
    units: Uint32Array,
    { place, count }: { place: number; count: number },
  ): void {
    const pairs = new Int16Array(buffer)
    const scales = new Float32Array(buffer)
    for (const [segment, unit] of units.entries()) {
      const address = addressOf(unit)
      const from = segment * ROWS_A_TILE
      scales.set(this.#scales.subarray(from, from + count), address / 4 + place)
      let at = (address + SCALES_BYTES) / 2 + place
      for (let pair = segment * PAIRS; pair < (segment + 1) * PAIRS; pair++, at += PAIR_BYTES / 2)
        for (let row = 0, of = pair; row < count; row++, of += this.#vector.length / 2)
          pairs[at + row] = this.#pairs[of] ?? 0
    }
  }
}

/** The number of rows from here that are adjacent in a block. */
function tileAt(rows: readonly number[], first: number): number {
  const row = rows[first] ?? 0
  const most = Math.min(ROWS_A_TILE, ROWS_A_BLOCK - (row % ROWS_A_BLOCK))
  let count = 1
  while (count < most && rows[first + count] === row + count) count += 1
  return count
}

/** Reads and normalizes a vector. A zero vector stays 0 and is similar to nothing. */
function readNormalized(page: Uint8Array, from: number, dimensions: number, into: Float64Array): void {
  const values = halfValues()
  let square = 0
  for (let dimension = 0, at = from; dimension < dimensions; dimension++, at += 2) {
    const value = values[((page[at] ?? 0) << 8) | (page[at + 1] ?? 0)] ?? 0
    into[dimension] = value
    square += value ** 2
  }
  if (square === 0) return
  const factor = 1 / Math.sqrt(square)
  for (let dimension = 0; dimension < dimensions; dimension++)
    into[dimension] = (into[dimension] ?? 0) * factor
}

/** Quantizes a segment of a vector. @returns its scale */
function toBytes(vector: Float64Array, segment: number, tile: Int8Array, row: number): number {
  const [from, to] = [segment * SEGMENT, (segment + 1) * SEGMENT]
  let most = 0
  for (let dimension = from; dimension < to; dimension++) {
    const size = Math.abs(vector[dimension] ?? 0)
    if (size > most) most = size
  }
  const scale = Math.fround(most / BYTE_STEPS)
  const factor = scale === 0 ? 0 : 1 / scale
  for (let dimension = from; dimension < to; dimension++) {
    const value = (vector[dimension] ?? 0) * factor
    // Rounds to the nearest integer: the numbers are at most BYTE_STEPS.
    tile[row * vector.length + dimension] = value < 0 ? (value - 0.5) | 0 : (value + 0.5) | 0
  }
  return scale
}
