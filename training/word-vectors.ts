import {
  WORD_DIMENSIONS,
  type Vocabulary,
} from '../src/inference/embedding-models/builtin/artifact-format.ts'
import { PARAGRAPH_END } from './co-occurrence.ts'
import type { CountedVocabulary } from './corpus.ts'
import type { Decomposition } from './decompose.ts'

/** Exponent on an eigenvalue's magnitude: 1 keeps the matrix, 0 weighs every direction the same. */
const SPECTRUM_EXPONENT = 0.25
/** Text pieces for computing the common direction, and stems in each. */
const PIECES = 10_000
const PIECE_STEMS = 100
const POWER_ROUNDS = 40

/**
 * Word vectors in int8, each scaled so that its largest number is ±127, and the common direction of text
 * pieces.
 */
export function finishVocabulary(counted: CountedVocabulary, decomposition: Decomposition): Vocabulary {
  const { documents, stems, frequencies } = counted
  const vectors = quantize(scaled(decomposition, stems.length), stems.length)
  const weights = Float64Array.from(frequencies, (frequency) =>
    Math.log(1 + (documents - frequency + 0.5) / (frequency + 0.5)),
  )
  const commonDirection = strongestDirection(pieceVectors(counted.ids, vectors, weights))
  return { documents, stems, frequencies, vectors, weights: null, commonDirection }
}

function scaled(decomposition: Decomposition, rows: number): Float64Array {
  const scales = decomposition.values.map((value) => Math.abs(value) ** SPECTRUM_EXPONENT)
  return Float64Array.from(
    { length: rows * WORD_DIMENSIONS },
    (_, at) => (scales[at % WORD_DIMENSIONS] ?? 0) * (decomposition.vectors[at] ?? 0),
  )
}

/** Vectors in int8, each scaled so that its largest number is ±127. */
export function quantize(vectors: Float64Array | Float32Array, rows: number): Int8Array {
  const quantized = new Int8Array(rows * WORD_DIMENSIONS)
  for (let row = 0; row < rows; row++) {
    const from = row * WORD_DIMENSIONS
    const end = from + WORD_DIMENSIONS
    let largest = 0
    for (let at = from; at < end; at++) largest = Math.max(largest, Math.abs(vectors[at] ?? 0))
    if (largest === 0) continue
    for (let at = from; at < end; at++) quantized[at] = Math.round((127 * (vectors[at] ?? 0)) / largest)
  }
  return quantized
}

/** Unit weighted means of the word vectors in pieces spread evenly over the text. */
function pieceVectors(ids: Uint32Array, vectors: Int8Array, weights: Float64Array): Float64Array[] {
  const lengths = Float64Array.from(weights, (_, row) => lengthOf(vectors, row * WORD_DIMENSIONS))
  const stride = Math.max(PIECE_STEMS, Math.floor(ids.length / PIECES))
  const pieces: Float64Array[] = []
  for (let from = 0; from + PIECE_STEMS <= ids.length; from += stride) {
    const sum = new Float64Array(WORD_DIMENSIONS)
    for (const row of new Set(ids.subarray(from, from + PIECE_STEMS))) {
      const size = lengths[row] ?? 0
      if (row === PARAGRAPH_END || size === 0) continue
      const share = (weights[row] ?? 0) / size
      const at = row * WORD_DIMENSIONS
      for (let i = 0; i < WORD_DIMENSIONS; i++) sum[i] = (sum[i] ?? 0) + share * (vectors[at + i] ?? 0)
    }
    const size = lengthOf(sum, 0)
    if (size > 0) pieces.push(sum.map((one) => one / size))
  }
  return pieces
}

/** The first principal component, uncentered, by power iteration. */
function strongestDirection(pieces: readonly Float64Array[]): Float32Array {
  let direction = new Float64Array(WORD_DIMENSIONS).fill(1 / Math.sqrt(WORD_DIMENSIONS))
  for (let round = 0; round < POWER_ROUNDS; round++) {
    const next = new Float64Array(WORD_DIMENSIONS)
    for (const piece of pieces) {
      let along = 0
      for (let i = 0; i < WORD_DIMENSIONS; i++) along += (piece[i] ?? 0) * (direction[i] ?? 0)
      for (let i = 0; i < WORD_DIMENSIONS; i++) next[i] = (next[i] ?? 0) + along * (piece[i] ?? 0)
    }
    const size = lengthOf(next, 0)
    if (size === 0) throw new Error('The text has no word vector: nothing was learned.')
    direction = next.map((one) => one / size)
  }
  return Float32Array.from(direction)
}

/** Length of the word vector that begins at `from`. */
export function lengthOf(numbers: Int8Array | Float32Array | Float64Array, from: number): number {
  let squares = 0
  for (let i = 0; i < WORD_DIMENSIONS; i++) squares += (numbers[from + i] ?? 0) ** 2
  return Math.sqrt(squares)
}
