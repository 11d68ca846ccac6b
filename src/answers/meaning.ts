import type { TermWeights } from '../inference/term-weights.ts'

/** Cache limit for word vectors. */
const VECTORS_MAX = 20_000

/** The meaning of texts, as sums of word vectors; null if the model knows no word of a text. */
export interface Meaning {
  vectorOf(stem: string): Float32Array | null
  /** The sum over stems, weighted by rarity. */
  sumOf(stems: Iterable<string>): Float32Array | null
}

/** Caches word vectors. */
export function createMeaning(terms: TermWeights): Meaning {
  const vectors = new Map<string, Float32Array | null>()
  const vectorOf = (stem: string): Float32Array | null => {
    const cached = vectors.get(stem)
    if (cached !== undefined) return cached
    if (vectors.size >= VECTORS_MAX) vectors.clear()
    const vector = terms.wordVector(stem)
    vectors.set(stem, vector)
    return vector
  }
  return {
    vectorOf,
    sumOf(stems) {
      let sum: Float32Array | null = null
      for (const stem of stems) {
        const vector = vectorOf(stem)
        if (vector === null) continue
        sum ??= new Float32Array(vector.length)
        const weight = Math.sqrt(terms.backgroundWeight(stem))
        for (let at = 0; at < vector.length; at++) sum[at] = (sum[at] ?? 0) + weight * (vector[at] ?? 0)
      }
      return sum
    },
  }
}

/** The cosine of a question's sum and the combined sum of several texts, 0 to 1. */
export function nearnessOf(asked: Float32Array | null, said: readonly (Float32Array | null)[]): number {
  if (asked === null) return 0
  let product = 0
  let squares = 0
  let squaresAsked = 0
  for (let at = 0; at < asked.length; at++) {
    let one = 0
    for (const sum of said) if (sum !== null) one += sum[at] ?? 0
    const other = asked[at] ?? 0
    product += one * other
    squares += one * one
    squaresAsked += other * other
  }
  return squares === 0 || squaresAsked === 0 ? 0 : Math.max(0, product / Math.sqrt(squares * squaresAsked))
}

export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let at = 0; at < a.length; at++) sum += (a[at] ?? 0) * (b[at] ?? 0)
  return sum
}
