import { type BlockLayout, PAIR_BYTES, SCALES_BYTES, SEGMENT } from './block-layout.ts'

/**
 * A row as the database returns it: id, position and vector as `uuid_send`, `int4send` and `halfvec_send`
 * write them.
 */
export const KEY_BYTES = 20
const VECTOR_HEAD_BYTES = 4

/** Bytes of such a row. */
export function rowBytesOf(dimensions: number): number {
  return KEY_BYTES + VECTOR_HEAD_BYTES + 2 * dimensions
}

export interface WriteJob {
  layout: BlockLayout
  rows: Uint8Array
  /** Address of each row's block. */
  blocks: Uint32Array
  /** Index of each row in its block. */
  places: Uint8Array
}

const BYTE_STEPS = 127
let halves: Float64Array | undefined

/** Every half-precision number by its bits. */
function halfValues(): Float64Array {
  return (halves ??= Float64Array.from(
    new Float16Array(Uint16Array.from({ length: 65_536 }, (_, bits) => bits).buffer),
  ))
}

/** Rows quantized together, so that the writes are adjacent. */
const ROWS_A_TILE = 32

/**
 * Quantizes rows to bytes: each vector is normalized, and each of its segments has steps of 1/127 of its
 * greatest number.
 */
export function writeRows(memory: WebAssembly.Memory, { layout, rows, blocks, places }: WriteJob): void {
  const pairs = new Int16Array(memory.buffer)
  const scales = new Float32Array(memory.buffer)
  const rowBytes = rowBytesOf(layout.dimensions)
  const vector = new Float64Array(layout.segments * SEGMENT)
  const tile = new Int8Array(ROWS_A_TILE * vector.length)
  const tilePairs = new Int16Array(tile.buffer)
  const pairsARow = vector.length / 2
  for (let first = 0; first < blocks.length;) {
    const block = blocks[first] ?? 0
    const place = places[first] ?? 0
    const count = tileAt(first, blocks, places)
    for (let row = 0; row < count; row++) {
      const scalesAt = block / 4 + place + row
      readUnit(rows, (first + row) * rowBytes + KEY_BYTES + VECTOR_HEAD_BYTES, layout.dimensions, vector)
      for (let segment = 0; segment < layout.segments; segment++)
        scales[scalesAt + (segment * SCALES_BYTES) / 4] = toBytes(vector, segment, tile, row * vector.length)
    }
    for (
      let pair = 0, at = (block + layout.pairsAt) / 2 + place;
      pair < pairsARow;
      pair++, at += PAIR_BYTES / 2
    )
      for (let row = 0, from = pair; row < count; row++, from += pairsARow)
        pairs[at + row] = tilePairs[from] ?? 0
    first += count
  }
}

function tileAt(first: number, blocks: Uint32Array, places: Uint8Array): number {
  let count = 1
  while (
    count < ROWS_A_TILE &&
    blocks[first + count] === blocks[first] &&
    places[first + count] === (places[first] ?? 0) + count
  )
    count += 1
  return count
}

/**
 * Quantizes a segment of a vector.
 * @returns its scale
 */
function toBytes(vector: Float64Array, segment: number, bytes: Int8Array, row: number): number {
  const from = segment * SEGMENT
  const scale = scaleOf(vector, from)
  const factor = scale === 0 ? 0 : 1 / scale
  for (let dimension = from; dimension < from + SEGMENT; dimension++)
    bytes[row + dimension] = nearest((vector[dimension] ?? 0) * factor)
  return scale
}

/** Reads and normalizes a vector. A vector without length stays 0 and is similar to nothing. */
function readUnit(rows: Uint8Array, from: number, dimensions: number, into: Float64Array): void {
  const values = halfValues()
  for (let dimension = 0, at = from; dimension < dimensions; dimension++, at += 2)
    into[dimension] = values[((rows[at] ?? 0) << 8) | (rows[at + 1] ?? 0)] ?? 0
  toUnit(into, dimensions)
}

function toUnit(vector: Float64Array, dimensions: number): void {
  let square = 0
  for (let dimension = 0; dimension < dimensions; dimension++) square += (vector[dimension] ?? 0) ** 2
  if (square === 0) return
  const factor = 1 / Math.sqrt(square)
  for (let dimension = 0; dimension < dimensions; dimension++)
    vector[dimension] = (vector[dimension] ?? 0) * factor
}

/**
 * Quantizes one vector like {@link writeRows}: its bytes, padded to whole segments, and the scale of each
 * segment.
 */
export function quantize(
  values: Float16Array,
  { dimensions, segments }: BlockLayout,
): { bytes: Int8Array; scales: Float32Array } {
  const vector = new Float64Array(segments * SEGMENT)
  vector.set(values)
  toUnit(vector, dimensions)
  const bytes = new Int8Array(vector.length)
  const scales = Float32Array.from({ length: segments }, (_, segment) => toBytes(vector, segment, bytes, 0))
  return { bytes, scales }
}

function scaleOf(vector: Float64Array, from: number): number {
  let most = 0
  for (let dimension = from; dimension < from + SEGMENT; dimension++) {
    const size = Math.abs(vector[dimension] ?? 0)
    if (size > most) most = size
  }
  return Math.fround(most / BYTE_STEPS)
}

/** Rounds to the nearest integer. A segment's numbers are at most {@link BYTE_STEPS} of its scale. */
function nearest(value: number): number {
  return value < 0 ? (value - 0.5) | 0 : (value + 0.5) | 0
}
