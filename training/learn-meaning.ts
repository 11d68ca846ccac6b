import {
  WORD_DIMENSIONS,
  type Vocabulary,
} from '../src/inference/embedding-models/builtin/artifact-format.ts'
import { contrast, type ContrastOptions, type Pairs } from './contrast.ts'
import { otherSides } from './other-sides.ts'
import { furtherStems, pairsInRows, type PairCorpus } from './pairs.ts'
import { lengthOf, quantize } from './word-vectors.ts'

/** Stems beyond the first vocabulary: rarer English ones, and those of other languages. */
const FURTHER_STEMS = 18_000
const OPTIONS: ContrastOptions = { draws: 450_000, batch: 256, temperature: 0.1, rate: 2e-3 }
/**
 * Initial divisor of word vectors, so that their lengths are about 1 and a step has the same effect on all.
 */
const SCALE = 8
/** Share of the common direction to remove from the vectors of further stems. */
const COMMON_SHARE = 0.9
/** A further stem's initial weight is `ln(1 + this / pairs it occurs in)`, up to the maximum below. */
const FURTHER_WEIGHT = 400_000
const FURTHER_WEIGHT_MAX = 9.5
/** Assumed background documents of a further stem, which was too rare for the first vocabulary. */
const FURTHER_FREQUENCY = 2
const D = WORD_DIMENSIONS

/** Extends the vocabulary, with vectors and weights that bring related texts closer. */
export function learnMeaning(
  base: Vocabulary,
  pairCorpus: PairCorpus,
  report: (message: string) => void,
): Vocabulary {
  const stems = [...base.stems, ...furtherStems(pairCorpus, base.stems, FURTHER_STEMS)]
  const pairs = pairsInRows(pairCorpus, stems)
  const occurrences = new Map(pairCorpus.names.map((name, id) => [name, pairCorpus.occurrences[id] ?? 0]))
  const vectors = firstVectors(base, pairs, stems, (stem) => occurrences.get(stem) ?? 0)
  contrast(vectors, pairs, OPTIONS, (step, steps, loss) =>
    report(`contrast, step ${step} of ${steps}: loss ${loss.toFixed(3)}`),
  )
  return {
    documents: base.documents,
    stems,
    frequencies: Uint32Array.from(stems, (_, row) => base.frequencies[row] ?? FURTHER_FREQUENCY),
    vectors: quantize(vectors, stems.length),
    weights: Float32Array.from(stems, (_, row) => lengthOf(vectors, row * D)),
    commonDirection: null,
  }
}

/** Known stems with a length by rarity; further ones in the direction of the other sides of their pairs. */
function firstVectors(
  base: Vocabulary,
  pairs: Pairs,
  stems: readonly string[],
  occurrencesOf: (stem: string) => number,
): Float32Array {
  const vectors = new Float32Array(stems.length * D)
  const count = base.stems.length
  for (let row = 0; row < count; row++) {
    const frequency = base.frequencies[row] ?? 0
    const weight = Math.log(1 + (base.documents - frequency + 0.5) / (frequency + 0.5)) / SCALE
    setDirection(vectors, row, base.vectors, row * D, weight)
  }
  const sums = otherSides(vectors, D, pairs, (row) => row >= count)
  for (let row = count; row < stems.length; row++) {
    const sum = sums.subarray(row * D, (row + 1) * D)
    const size = lengthOf(sum, 0)
    if (base.commonDirection !== null && size > 0) lean(sum, base.commonDirection)
    const weight = Math.min(
      FURTHER_WEIGHT_MAX,
      Math.log(1 + FURTHER_WEIGHT / (occurrencesOf(stems[row] ?? '') + 1)),
    )
    setDirection(vectors, row, sum, 0, weight / SCALE)
  }
  return vectors
}

/** Removes most of a direction from a vector. */
function lean(vector: Float64Array, direction: Float32Array): void {
  let along = 0
  for (let i = 0; i < D; i++) along += (vector[i] ?? 0) * (direction[i] ?? 0)
  for (let i = 0; i < D; i++) vector[i] = (vector[i] ?? 0) - COMMON_SHARE * along * (direction[i] ?? 0)
}

function setDirection(
  vectors: Float32Array,
  row: number,
  from: Int8Array | Float64Array,
  at: number,
  length: number,
): void {
  const size = lengthOf(from, at)
  if (size === 0) return
  for (let i = 0; i < D; i++) vectors[row * D + i] = (length * (from[at + i] ?? 0)) / size
}
