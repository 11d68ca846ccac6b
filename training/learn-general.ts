import {
  WORD_DIMENSIONS,
  type Vocabulary,
} from '../src/inference/embedding-models/builtin/artefact-format.ts'
import { contrast, type ContrastOptions, type Pairs } from './contrast.ts'
import type { GeneralVectors } from './general-vectors.ts'
import { sizeOf, strongestEigenvectors, symmetricProduct } from './matrices.ts'
import { otherSides } from './other-sides.ts'
import { pairsInRows, type PairCorpus } from './pairs.ts'
import { lengthOf, quantize } from './word-vectors.ts'

/** Length of general vectors relative to those of the base. */
const GENERAL_SHARE = 0.9
/** Slow enough to keep what general English says. */
const OPTIONS: ContrastOptions = { draws: 300_000, batch: 256, temperature: 0.1, rate: 5e-4 }
/** Stems without a general vector, mostly of other languages, learn faster. */
const FURTHER_RATE = 4
const D = WORD_DIMENSIONS

/**
 * Adds what general English says about the stems of `base`: both vectors side by side, reduced to the
 * strongest directions, then brought together again by the pairs.
 */
export function learnGeneral(
  base: Vocabulary,
  general: GeneralVectors,
  pairCorpus: PairCorpus,
  report: (message: string) => void,
): Vocabulary {
  const pairs = pairsInRows(pairCorpus, base.stems)
  const known = base.stems.map((stem) => general.rows.has(stem))
  const vectors = reduced(sideBySide(base, general, pairs), base)
  const rateFactors = Float32Array.from(known, (has) => (has ? 1 : FURTHER_RATE))
  contrast(vectors, pairs, { ...OPTIONS, rateFactors }, (step, steps, loss) =>
    report(`contrast, step ${step} of ${steps}: loss ${loss.toFixed(3)}`),
  )
  return {
    ...base,
    vectors: quantize(vectors, base.stems.length),
    weights: Float32Array.from(base.stems, (_, row) => lengthOf(vectors, row * D)),
  }
}

/** Each row's vector of the base, then its general vector, or the direction of its pairs' other sides. */
function sideBySide(base: Vocabulary, general: GeneralVectors, pairs: Pairs): Float64Array {
  const { dimensions } = general
  const width = D + dimensions
  const count = base.stems.length
  const joined = new Float64Array(count * width)
  const lengths = normalized(base.weights ?? new Float32Array(count))
  const generals = generalRows(base.stems, general)
  const sums = otherSides(generals, dimensions, pairs, (row) => lengthAt(generals, row, dimensions) === 0)
  for (let row = 0; row < count; row++) {
    const own = base.vectors.subarray(row * D, (row + 1) * D)
    const from = row * dimensions
    const found = generals.subarray(from, from + dimensions)
    const length = lengths[row] ?? 0
    setScaled(joined, row * width, own, length / (sizeOf(own) || 1))
    if (sizeOf(found) > 0) setScaled(joined, row * width + D, found, GENERAL_SHARE)
    else {
      const sum = sums.subarray(from, from + dimensions)
      setScaled(joined, row * width + D, sum, (GENERAL_SHARE * length) / (sizeOf(sum) || 1))
    }
  }
  return joined
}

/** The general vectors of stems, of mean square length 1 where known and zeros elsewhere. */
function generalRows(stems: readonly string[], { rows, dimensions, vectors }: GeneralVectors): Float32Array {
  const lengths = Float32Array.from(stems, (stem) => lengthAt(vectors, rows.get(stem) ?? -1, dimensions))
  const scaled = normalized(lengths)
  const result = new Float32Array(stems.length * dimensions)
  for (const [n, stem] of stems.entries()) {
    const row = rows.get(stem)
    const length = lengths[n] ?? 0
    if (row === undefined || length === 0) continue
    const vector = vectors.subarray(row * dimensions, (row + 1) * dimensions)
    setScaled(result, n * dimensions, vector, (scaled[n] ?? 0) / length)
  }
  return result
}

/** Lengths scaled so that those above 0 have the mean square 1. */
function normalized(lengths: Float32Array): Float64Array {
  const above = lengths.filter((length) => length > 0)
  const mean = sizeOf(above) / Math.sqrt(above.length)
  return Float64Array.from(lengths, (length) => length / mean)
}

function lengthAt(vectors: Float64Array | Float32Array, row: number, dimensions: number): number {
  return row < 0 ? 0 : sizeOf(vectors.subarray(row * dimensions, (row + 1) * dimensions))
}

function setScaled(to: Float64Array | Float32Array, at: number, from: Numbers, scale: number): void {
  for (let i = 0; i < from.length; i++) to[at + i] = scale * (from[i] ?? 0)
}

type Numbers = Float64Array | Float32Array | Int8Array

/** Rows along their strongest directions, frequent stems counting more, of mean square length 1. */
function reduced(joined: Float64Array, { stems, frequencies }: Vocabulary): Float32Array {
  const width = joined.length / stems.length
  const weights = Float64Array.from(frequencies, (frequency) => Math.sqrt(Math.sqrt(frequency)))
  const weighted = joined.map((one, at) => one * (weights[Math.floor(at / width)] ?? 0))
  const products = symmetricProduct(weighted, weighted, stems.length, width)
  const directions = strongestEigenvectors(products, width, D)
  const result = new Float32Array(stems.length * D)
  for (let row = 0; row < stems.length; row++) {
    const from = row * width
    for (const [n, direction] of directions.entries()) {
      let along = 0
      for (let i = 0; i < width; i++) along += (joined[from + i] ?? 0) * (direction[i] ?? 0)
      result[row * D + n] = along
    }
  }
  const mean = sizeOf(result) / Math.sqrt(stems.length)
  return result.map((one) => one / mean)
}
