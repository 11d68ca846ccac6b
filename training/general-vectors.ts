import { tokenize } from '../src/inference/embedding-models/builtin/tokenize.ts'
import { sizeOf, strongestEigenvectors, symmetricProduct } from './matrices.ts'

/** Vectors of words, the most frequent word first. */
export interface WordList {
  words: readonly string[]
  dimensions: number
  vectorOf: (word: string) => ArrayLike<number>
}

/** Vectors of stems by general English: row `n` belongs to the stem whose row is `n`. */
export interface GeneralVectors {
  rows: ReadonlyMap<string, number>
  dimensions: number
  vectors: Float64Array
}

/** Stems to keep: vectors of rarer ones are unreliable. */
const STEMS_MAX = 60_000
/** A word's share of all text is proportional to `1 / (rank + this)`, by Zipf and Mandelbrot. */
const RANK_OFFSET = 10
/** A stem with this share of all text weighs half (Arora et al., A Simple but Tough-to-Beat Baseline, 2017). */
const SHARE_HALF = 1e-3
/** Directions that all words share, computed from the most frequent stems (Mu and Viswanath, All-but-the-Top, 2018). */
const COMMON_DIRECTIONS = 4
const COMMON_STEMS = 20_000

/**
 * A vector for each stem: the mean of its words by frequency, without what all words share, as long as the
 * stem weighs in a text.
 */
export function generalVectors(list: WordList, stemsMax = STEMS_MAX): GeneralVectors {
  const { rows, vectors, shares } = stemMeans(list, stemsMax)
  const { dimensions } = list
  takeOutMean(vectors, shares, dimensions)
  const common = commonDirections(vectors.subarray(0, COMMON_STEMS * dimensions), dimensions)
  for (const row of rows.values()) {
    const vector = vectors.subarray(row * dimensions, (row + 1) * dimensions)
    for (const direction of common) takeOut(vector, direction)
    const weight = SHARE_HALF / (SHARE_HALF + (shares[row] ?? 0))
    for (let i = 0; i < dimensions; i++) vector[i] = weight * (vector[i] ?? 0)
  }
  return { rows, dimensions, vectors }
}

/** The mean vector of each stem's words, and each stem's share of all text. */
function stemMeans({ words, dimensions, vectorOf }: WordList, stemsMax: number) {
  const rows = new Map<string, number>()
  const shares = new Float64Array(stemsMax)
  const vectors = new Float64Array(stemsMax * dimensions)
  for (const [rank, word] of words.entries()) {
    const [stem, ...others] = tokenize(word)
    if (stem === undefined || others.length > 0) continue
    const row = rows.get(stem) ?? rows.size
    if (row === stemsMax) continue
    rows.set(stem, row)
    const weight = 1 / (rank + RANK_OFFSET)
    const vector = vectorOf(word)
    shares[row] = (shares[row] ?? 0) + weight
    for (let i = 0; i < dimensions; i++) {
      const at = row * dimensions + i
      vectors[at] = (vectors[at] ?? 0) + weight * (vector[i] ?? 0)
    }
  }
  const total = shares.reduce((sum, one) => sum + one, 0)
  for (let at = 0; at < rows.size * dimensions; at++)
    vectors[at] = (vectors[at] ?? 0) / (shares[Math.floor(at / dimensions)] ?? 1)
  return {
    rows,
    vectors: vectors.subarray(0, rows.size * dimensions),
    shares: shares.subarray(0, rows.size).map((one) => one / total),
  }
}

function takeOutMean(vectors: Float64Array, shares: Float64Array, dimensions: number): void {
  const mean = new Float64Array(dimensions)
  for (let at = 0; at < vectors.length; at++) {
    const i = at % dimensions
    mean[i] = (mean[i] ?? 0) + (shares[Math.floor(at / dimensions)] ?? 0) * (vectors[at] ?? 0)
  }
  for (let at = 0; at < vectors.length; at++) vectors[at] = (vectors[at] ?? 0) - (mean[at % dimensions] ?? 0)
}

function commonDirections(vectors: Float64Array, dimensions: number): Float64Array[] {
  const units = Float64Array.from(vectors)
  for (let from = 0; from < units.length; from += dimensions) {
    const unit = units.subarray(from, from + dimensions)
    const size = sizeOf(unit)
    for (let i = 0; i < dimensions; i++) unit[i] = size === 0 ? 0 : (unit[i] ?? 0) / size
  }
  const products = symmetricProduct(units, units, units.length / dimensions, dimensions)
  return strongestEigenvectors(products, dimensions, COMMON_DIRECTIONS)
}

function takeOut(vector: Float64Array, direction: Float64Array): void {
  const along = vector.reduce((sum, one, i) => sum + one * (direction[i] ?? 0), 0)
  for (let i = 0; i < vector.length; i++) vector[i] = (vector[i] ?? 0) - along * (direction[i] ?? 0)
}
