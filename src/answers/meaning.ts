import type { TermWeights } from '../inference/term-weights.ts'

/** Vectors that are kept: those of words that many passages have. */
const VECTORS_MAX = 20_000

/** How close a set of stems is in meaning to a question, -1 to 1; 0 where the model knows none of either. */
export type Nearness = (stems: Iterable<string>) => number

/** Compares questions and passages by the mean of their word vectors, rarer words counting more. */
export function createMeaning(terms: TermWeights): (question: Iterable<string>) => Nearness {
  const vectors = new Map<string, Float32Array | null>()
  const vectorOf = (stem: string): Float32Array | null => {
    const cached = vectors.get(stem)
    if (cached !== undefined) return cached
    if (vectors.size >= VECTORS_MAX) vectors.clear()
    const vector = terms.wordVector(stem)
    const weight = Math.sqrt(terms.backgroundWeight(stem))
    const weighted = vector === null ? null : vector.map((one) => one * weight)
    vectors.set(stem, weighted)
    return weighted
  }
  const sumOf = (stems: Iterable<string>): Float64Array | null => {
    let sum: Float64Array | null = null
    for (const stem of stems) {
      const vector = vectorOf(stem)
      if (vector === null) continue
      sum ??= new Float64Array(vector.length)
      for (let at = 0; at < vector.length; at++) sum[at] = (sum[at] ?? 0) + (vector[at] ?? 0)
    }
    return sum
  }
  return (question) => {
    const asked = sumOf(question)
    return (stems) => {
      const said = asked === null ? null : sumOf(stems)
      return asked === null || said === null ? 0 : cosine(asked, said)
    }
  }
}

function cosine(a: Float64Array, b: Float64Array): number {
  let product = 0
  let squaresA = 0
  let squaresB = 0
  for (let at = 0; at < a.length; at++) {
    const one = a[at] ?? 0
    const other = b[at] ?? 0
    product += one * other
    squaresA += one * one
    squaresB += other * other
  }
  return squaresA === 0 || squaresB === 0 ? 0 : product / Math.sqrt(squaresA * squaresB)
}
