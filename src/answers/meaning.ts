import type { TermWeights } from '../inference/term-weights.ts'

/** The cache limit, in word vectors. */
const VECTORS_MAX = 20_000

/** The meaning of texts as sums of word vectors; null if the model knows no word of a text. */
export interface Meaning {
  vectorOf(stem: string): Float32Array | null
  /** The sum of the stems' vectors, weighted by rarity. Computed once for each set. */
  sumOf(stems: ReadonlySet<string>): Float32Array | null
}

interface Word {
  vector: Float32Array
  weight: number
}

/** Caches word vectors and their weights. */
export function createMeaning(terms: TermWeights): Meaning {
  const words = new Map<string, Word | null>()
  const wordOf = (stem: string): Word | null => {
    const cached = words.get(stem)
    if (cached !== undefined) return cached
    if (words.size >= VECTORS_MAX) words.clear()
    const vector = terms.wordVector(stem)
    const word = vector && { vector, weight: Math.sqrt(terms.backgroundWeight(stem)) }
    words.set(stem, word)
    return word
  }
  const add = (stems: ReadonlySet<string>): Float32Array | null => {
    let sum: Float32Array | null = null
    for (const stem of stems) {
      const word = wordOf(stem)
      if (word === null) continue
      const { vector, weight } = word
      sum ??= new Float32Array(vector.length)
      for (let at = 0; at < vector.length; at++) sum[at] = (sum[at] ?? 0) + weight * (vector[at] ?? 0)
    }
    return sum
  }
  const sums = new WeakMap<ReadonlySet<string>, Float32Array | null>()
  return {
    vectorOf: (stem) => wordOf(stem)?.vector ?? null,
    sumOf(stems) {
      let sum = sums.get(stems)
      if (sum === undefined) sums.set(stems, (sum = add(stems)))
      return sum
    },
  }
}

/** Returns the cosine of a question's vector and the combined sum of several texts, 0 to 1. */
export function createNearness(
  asked: Float32Array | null,
): (said: readonly (Float32Array | null)[]) => number {
  if (asked === null) return () => 0
  const squaresAsked = dot(asked, asked)
  const all = new Float64Array(asked.length)
  return (said) => {
    all.fill(0)
    for (const sum of said) {
      if (sum !== null) for (let at = 0; at < all.length; at++) all[at] = (all[at] ?? 0) + (sum[at] ?? 0)
    }
    let product = 0
    let squares = 0
    for (let at = 0; at < all.length; at++) {
      const one = all[at] ?? 0
      product += one * (asked[at] ?? 0)
      squares += one * one
    }
    return squares === 0 || squaresAsked === 0 ? 0 : Math.max(0, product / Math.sqrt(squares * squaresAsked))
  }
}

export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let at = 0; at < a.length; at++) sum += (a[at] ?? 0) * (b[at] ?? 0)
  return sum
}

/** How many vectors are multiplied together. */
const AT_ONCE = 4

/** Multiplies vectors with another, four at a time: four independent sums take little longer than one. */
export function createDots(vectors: readonly Float32Array[]): (other: Float32Array) => Float64Array {
  const length = vectors[0]?.length ?? 0
  const groups = Math.ceil(vectors.length / AT_ONCE)
  const packed = new Float32Array(groups * length * AT_ONCE)
  for (const [index, vector] of vectors.entries()) {
    const from = Math.floor(index / AT_ONCE) * length * AT_ONCE + (index % AT_ONCE)
    for (let at = 0; at < length; at++) packed[from + at * AT_ONCE] = vector[at] ?? 0
  }
  const products = new Float64Array(groups * AT_ONCE)
  return (other) => {
    for (let group = 0; group < groups; group++) {
      let [a, b, c, d] = [0, 0, 0, 0]
      for (let at = 0, from = group * length * AT_ONCE; at < length; at++, from += AT_ONCE) {
        const number = other[at] ?? 0
        a += number * (packed[from] ?? 0)
        b += number * (packed[from + 1] ?? 0)
        c += number * (packed[from + 2] ?? 0)
        d += number * (packed[from + 3] ?? 0)
      }
      products.set([a, b, c, d], group * AT_ONCE)
    }
    return products
  }
}
