import { hashText } from '../../../kernel/hash-text.ts'
import { WORD_DIMENSIONS, type Vocabulary } from './artifact-format.ts'
import { carriesNoSubject, isForeignStop, isSyllables } from './foreign-stop-words.ts'
import type { Translate } from './foreign-words.ts'
import { tokenize } from './tokenize.ts'

/** Layout of a vector: hashed stems, then meaning, then the filler. */
export const DIMENSIONS = 1024
const LEXICAL = DIMENSIONS - WORD_DIMENSIONS - 1
const FILLER = DIMENSIONS - 1
/** The part of a vector that holds meaning. */
export const MEANING_PART = { from: LEXICAL, length: WORD_DIMENSIONS }

/** Signed positions of a stem in the lexical part. */
const POSITIONS = 8
/** Share of a vector's squared length that meaning takes in `builtin-1`, and in documents of later models. */
const MEANING_FIRST = 0.18
const MEANING = 0.3
/** Meaning's weight in a question from `builtin-2` on, by background weight: vague questions rely on it more. */
const VAGUE = { weight: 15, meaning: 0.45 }
const DETAILED = { weight: 30, meaning: 0.18 }
/** BM25's k1 and b, and the length of an average chunk in stems. */
const K1 = 1.2
const B = 0.6
const LENGTH_AVERAGE = 100
/** Length of an average chunk's lexical part, the pivot of length normalization, and its slope. */
const PIVOT = 30
const SLOPE = 0.9
const TITLE_COUNT = 2
/** Assumed background documents of a stem outside the vocabulary. */
const UNKNOWN_FREQUENCY = 2
/** Background weight of function words of other languages from `builtin-2` on. */
const STOP_WEIGHT = 0.01
/** Background weight of Japanese syllable pairs in a question, because unknown stems count as rare. */
const SYLLABLES_WEIGHT = 5

/** Turns text into unit vectors of `DIMENSIONS` numbers. Synchronous; do not share it between threads. */
export interface Embedder {
  embedDocument(title: string, text: string): Float32Array
  embedQuery(query: string): Float32Array
  /** How rare a stem is in plain English: inverse document frequency over the training text. */
  backgroundWeight(stem: string): number
  /** The English stems of a foreign one; none: it is a word of English text, or not in the list. */
  translationsOf(stem: string): readonly string[]
  /** The unit vector of a stem's meaning, that of its translations for a foreign one; null: unknown stem. */
  wordVector(stem: string): Float32Array | null
}

/**
 * An embedder over a vocabulary. A document's vector holds BM25's saturated term weights, hashed to signed
 * positions; the weighted mean of its word vectors; and a filler that completes the unit length, so that
 * length normalization (Singhal et al., Pivoted Document Length Normalization, 1996) survives in a unit
 * vector. A query's filler is 0. A vocabulary without weights is that of `builtin-1`, whose vectors must stay
 * the same bit for bit.
 * @param translate translates the words of questions. Vectors of documents don't depend on it, so that the list of
 * words can change.
 */
export function createEmbedder(vocabulary: Vocabulary, translate: Translate = () => []): Embedder {
  const isLearned = vocabulary.weights !== null
  const { rows, weights, weightOf, askedWeight, translationsOf, meantBy } = weighing(vocabulary, translate)
  const meaningWeights = vocabulary.weights ?? weights
  const addMeaning = wordVectorAdder(vocabulary)
  const meaningWeight = (row: number | undefined): number =>
    row === undefined ? 0 : (meaningWeights[row] ?? 0)
  const documentMeaning = isLearned ? MEANING : MEANING_FIRST

  function embedDocument(title: string, text: string): Float32Array {
    const counts = new Map<string, number>()
    const length = count(counts, tokenize(title), TITLE_COUNT) + count(counts, tokenize(text), 1)
    const lexical = new Float64Array(LEXICAL)
    const meaning = new Float64Array(WORD_DIMENSIONS)
    const half = K1 * (1 - B + (B * length) / LENGTH_AVERAGE)
    let squares = 0
    for (const [stem, times] of counts) {
      const row = rows.get(stem)
      const weight = weightOf(stem, row)
      const term = (((K1 + 1) * times) / (times + half)) * Math.sqrt(weight)
      squares += term * term
      addPositions(lexical, stem, term)
      addMeaning(meaning, row, (((K1 + 1) * times) / (times + K1)) * meaningWeight(row))
    }
    const size = Math.sqrt(squares)
    const coverage = Math.min(1, size / (SLOPE * PIVOT + (1 - SLOPE) * size))
    return assemble({
      lexical,
      meaning,
      coverage,
      share: documentMeaning,
      common: vocabulary.commonDirection,
    })
  }

  function embedQuery(query: string): Float32Array {
    const counts = new Map<string, number>()
    // A query of stop words alone still needs a unit vector: it counts as one word that no document has.
    if (count(counts, tokenize(query), 1) === 0) counts.set(`\0${query}`, 1)
    const lexical = new Float64Array(LEXICAL)
    const meaning = new Float64Array(WORD_DIMENSIONS)
    let said = 0
    let covered = 0
    for (const [stem, times] of counts) {
      const weight = askedWeight(stem)
      const meant = meantBy(stem)
      said += times * weight
      if (meant.some((one) => meaningWeight(rows.get(one)) > 0)) covered += times * weight
      addPositions(lexical, stem, askedAmount(times, weight))
      for (const one of meant) {
        const row = rows.get(one)
        if (one !== stem) addPositions(lexical, one, askedAmount(times, askedWeight(one)) / meant.length)
        addMeaning(meaning, row, (Math.sqrt(times) * meaningWeight(row)) / meant.length)
      }
    }
    const share = isLearned ? queryMeaning(said, covered) : MEANING_FIRST
    const vector = assemble({ lexical, meaning, coverage: 1, share, common: vocabulary.commonDirection })
    vector[FILLER] = 0
    return scaledToUnit(vector)
  }

  return {
    embedDocument,
    embedQuery,
    backgroundWeight: askedWeight,
    translationsOf,
    wordVector: (stem) =>
      unitSum(meantBy(stem).flatMap((one) => unitWordVector(vocabulary, rows.get(one)) ?? [])),
  }
}

/** Background weights of stems, in documents and in questions, and the translations of stems. */
function weighing(vocabulary: Vocabulary, translate: Translate) {
  const { documents, stems, frequencies } = vocabulary
  const isLearned = vocabulary.weights !== null
  const rows = new Map<string, number>()
  const weights = new Float64Array(stems.length)
  for (let row = 0; row < stems.length; row++) {
    rows.set(stems[row] ?? '', row)
    weights[row] = inverseFrequency(documents, frequencies[row] ?? 0)
  }
  const unknownWeight = inverseFrequency(documents, UNKNOWN_FREQUENCY)
  const weightOf = (stem: string, row: number | undefined): number => {
    if (isLearned && isForeignStop(stem)) return STOP_WEIGHT
    return row === undefined ? unknownWeight : (weights[row] ?? 0)
  }
  const askedWeightOf = (stem: string, row: number | undefined): number => {
    if (!isLearned) return weightOf(stem, row)
    if (carriesNoSubject(stem)) return STOP_WEIGHT
    return isSyllables(stem) ? SYLLABLES_WEIGHT : weightOf(stem, row)
  }
  const translationsOf = (stem: string): readonly string[] => {
    const row = rows.get(stem)
    if (row !== undefined && (frequencies[row] ?? 0) > UNKNOWN_FREQUENCY) return []
    return translate(stem)
  }
  /** The stems whose meaning a stem has. */
  const meantBy = (stem: string): readonly string[] => {
    const english = translationsOf(stem)
    return english.length > 0 ? english : [stem]
  }
  /** Rarity of a stem in a question: that of its most common translation for a foreign one. */
  const askedWeight = (stem: string): number => {
    const english = translationsOf(stem)
    if (english.length === 0) return askedWeightOf(stem, rows.get(stem))
    return Math.min(...english.map((one) => askedWeightOf(one, rows.get(one))))
  }
  return { rows, weights, weightOf, askedWeight, translationsOf, meantBy }
}

/** A query's term: its weight to the power of 3/4 by square roots alone, which are exact on every machine. */
function askedAmount(times: number, weight: number): number {
  const root = Math.sqrt(weight)
  return Math.sqrt(times) * root * Math.sqrt(root)
}

/** Meaning's share of a query's squared length, by background weights: all (`said`) and known (`covered`) words. */
function queryMeaning(said: number, covered: number): number {
  const along = Math.min(1, Math.max(0, (said - VAGUE.weight) / (DETAILED.weight - VAGUE.weight)))
  const wanted = (VAGUE.meaning + along * (DETAILED.meaning - VAGUE.meaning)) * Math.sqrt(covered / said)
  const ratio = ((wanted / (1 - wanted)) ** 2 * (1 - MEANING)) / MEANING
  return ratio / (1 + ratio)
}

/** BM25's inverse document frequency, rounded so that engines whose logarithms differ in the last bit agree. */
function inverseFrequency(documents: number, frequency: number): number {
  return Math.round(2 ** 20 * Math.log(1 + (documents - frequency + 0.5) / (frequency + 0.5))) / 2 ** 20
}

/** Adds each stem `times` to the counts; returns the added length. */
function count(counts: Map<string, number>, stems: readonly string[], times: number): number {
  for (const stem of stems) counts.set(stem, (counts.get(stem) ?? 0) + times)
  return times * stems.length
}

/** Adds `amount` at the stem's signed positions, each 1/√8 (FNV-1a, then Murmur3's finalizer). */
function addPositions(lexical: Float64Array, stem: string, amount: number): void {
  const hash = hashText(stem)
  const share = amount / Math.sqrt(POSITIONS)
  for (let n = 1; n <= POSITIONS; n++) {
    let mixed = hash + Math.imul(n, 0x9e3779b9)
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
    mixed = (mixed ^ (mixed >>> 16)) >>> 0
    const position = (mixed >>> 1) % LEXICAL
    lexical[position] = (lexical[position] ?? 0) + ((mixed & 1) === 0 ? share : -share)
  }
}

function unitWordVector({ vectors }: Vocabulary, row: number | undefined): Float32Array | null {
  if (row === undefined) return null
  const vector = Float32Array.from(vectors.subarray(row * WORD_DIMENSIONS, (row + 1) * WORD_DIMENSIONS))
  return norm(vector) === 0 ? null : scaledToUnit(vector)
}

/** The direction of some unit vectors together; null: none. */
function unitSum([first, ...others]: readonly Float32Array[]): Float32Array | null {
  if (first === undefined || others.length === 0) return first ?? null
  for (const other of others)
    for (let i = 0; i < first.length; i++) first[i] = (first[i] ?? 0) + (other[i] ?? 0)
  return scaledToUnit(first)
}

/** Adds `amount` of a row's unit word vector; a stem without a row adds nothing. */
function wordVectorAdder(vocabulary: Vocabulary) {
  const { vectors } = vocabulary
  const lengths = new Float64Array(vocabulary.stems.length).fill(-1)
  const lengthOf = (row: number): number => {
    const known = lengths[row] ?? 0
    if (known >= 0) return known
    const length = norm(vectors.subarray(row * WORD_DIMENSIONS, (row + 1) * WORD_DIMENSIONS))
    lengths[row] = length
    return length
  }
  return (meaning: Float64Array, row: number | undefined, amount: number): void => {
    if (row === undefined) return
    const length = lengthOf(row)
    if (length === 0) return
    const share = amount / length
    const from = row * WORD_DIMENSIONS
    for (let i = 0; i < WORD_DIMENSIONS; i++)
      meaning[i] = (meaning[i] ?? 0) + share * (vectors[from + i] ?? 0)
  }
}

/** A vector's parts: sums over its stems, the lexical part's length, and meaning's share of the squared length. */
interface Parts {
  lexical: Float64Array
  meaning: Float64Array
  coverage: number
  share: number
  common: Float32Array | null
}

function assemble({ lexical, meaning, coverage, share, common }: Parts): Float32Array {
  const vector = new Float32Array(DIMENSIONS)
  const words = norm(lexical)
  const lexicalScale = words === 0 ? 0 : (Math.sqrt(1 - share) * coverage) / words
  for (let i = 0; i < LEXICAL; i++) vector[i] = lexicalScale * (lexical[i] ?? 0)
  const meaningSquares = addUnitMeaning(vector, meaning, share, common)
  const lexicalSquares = words === 0 ? 0 : (1 - share) * coverage * coverage
  vector[FILLER] = Math.sqrt(Math.max(0, 1 - lexicalSquares - meaningSquares))
  return vector
}

/** Writes √share times the unit of (unit meaning minus its common direction); returns its squared length. */
function addUnitMeaning(
  vector: Float32Array,
  meaning: Float64Array,
  share: number,
  common: Float32Array | null,
): number {
  const length = norm(meaning)
  if (length === 0) return 0
  if (common !== null) takeOut(meaning, length, common)
  const rest = norm(meaning)
  if (rest < 1e-6) return 0
  const scale = Math.sqrt(share) / rest
  for (let i = 0; i < WORD_DIMENSIONS; i++) vector[LEXICAL + i] = scale * (meaning[i] ?? 0)
  return share
}

function takeOut(meaning: Float64Array, length: number, common: Float32Array): void {
  let shared = 0
  for (let i = 0; i < WORD_DIMENSIONS; i++) shared += ((meaning[i] ?? 0) / length) * (common[i] ?? 0)
  for (let i = 0; i < WORD_DIMENSIONS; i++)
    meaning[i] = (meaning[i] ?? 0) / length - shared * (common[i] ?? 0)
}

function scaledToUnit(vector: Float32Array): Float32Array {
  const length = norm(vector)
  if (length > 0) for (let i = 0; i < vector.length; i++) vector[i] = (vector[i] ?? 0) / length
  return vector
}

function norm(numbers: Float64Array | Float32Array | Int8Array): number {
  let squares = 0
  for (let i = 0; i < numbers.length; i++) squares += (numbers[i] ?? 0) ** 2
  return Math.sqrt(squares)
}
