import { type BlockLayout, PAIR_BYTES, SCALES_BYTES, SEGMENT } from './block-layout.ts'

/** Rows as the database hands them out: ids, positions and vectors as `uuid_send`, `int4send` and `halfvec_send` write them. */
export const KEY_BYTES = 20
const VECTOR_HEAD_BYTES = 4

/** How many bytes a row of a model's vectors has there. */
export function rowBytesOf(dimensions: number): number {
  return KEY_BYTES + VECTOR_HEAD_BYTES + 2 * dimensions
}

/** Rows and where they go. */
export interface WriteJob {
  layout: BlockLayout
  rows: Uint8Array
  /** The block of each row, by its address. */
  blocks: Uint32Array
  /** Which row of its block each is. */
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

/** Writes rows as bytes: each vector of length 1, each of its segments in steps of 1/127 of the greatest number in it. */
export function writeRows(memory: WebAssembly.Memory, { layout, rows, blocks, places }: WriteJob): void {
  const bytes = new Int8Array(memory.buffer)
  const scales = new Float32Array(memory.buffer)
  const rowBytes = rowBytesOf(layout.dimensions)
  const vector = new Float64Array(layout.segments * SEGMENT)
  for (const [index, block] of blocks.entries()) {
    const place = places[index] ?? 0
    readUnit(rows, index * rowBytes + KEY_BYTES + VECTOR_HEAD_BYTES, layout.dimensions, vector)
    for (let segment = 0; segment < layout.segments; segment++) {
      const from = segment * SEGMENT
      const scale = scaleOf(vector, from)
      scales[(block + segment * SCALES_BYTES) / 4 + place] = scale
      const factor = scale === 0 ? 0 : 1 / scale
      let at = block + layout.pairsAt + (from / 2) * PAIR_BYTES + 2 * place
      for (let dimension = from; dimension < from + SEGMENT; dimension += 2, at += PAIR_BYTES) {
        bytes[at] = nearest((vector[dimension] ?? 0) * factor)
        bytes[at + 1] = nearest((vector[dimension + 1] ?? 0) * factor)
      }
    }
  }
}

/** Reads a vector and gives it the length 1; one without length stays 0, and is similar to nothing. */
function readUnit(rows: Uint8Array, from: number, dimensions: number, into: Float64Array): void {
  const values = halfValues()
  let square = 0
  for (let dimension = 0, at = from; dimension < dimensions; dimension++, at += 2) {
    const value = values[((rows[at] ?? 0) << 8) | (rows[at + 1] ?? 0)] ?? 0
    into[dimension] = value
    square += value * value
  }
  if (square === 0) return
  const factor = 1 / Math.sqrt(square)
  for (let dimension = 0; dimension < dimensions; dimension++)
    into[dimension] = (into[dimension] ?? 0) * factor
}

function scaleOf(vector: Float64Array, from: number): number {
  let most = 0
  for (let dimension = from; dimension < from + SEGMENT; dimension++) {
    const size = Math.abs(vector[dimension] ?? 0)
    if (size > most) most = size
  }
  return Math.fround(most / BYTE_STEPS)
}

function nearest(value: number): number {
  const rounded = Math.round(value)
  return rounded > BYTE_STEPS ? BYTE_STEPS : rounded < -BYTE_STEPS ? -BYTE_STEPS : rounded
}
