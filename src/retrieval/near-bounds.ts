import type { MeaningPart } from '../inference/embedding-model.ts'
import type { Near } from './hybrid-order.ts'
import type { KeptVector } from './kept-vectors.ts'

/** Between what a chunk's nearness is, as the database would compute it. */
export interface Bounds {
  low: Near
  high: Near
}

/**
 * What a sum of 32-bit products is off by at most, for each term and for each unit of the product of both lengths, in whatever order
 * it is added up: half a unit in the last place (Higham, Accuracy and Stability of Numerical Algorithms, 3.1), and a hundredth
 * more for what is of second order, with the sums of 64 bits that are made here.
 */
const OFF_BY_A_TERM = 1.01 * 2 ** -24

/**
 * Bounds how near vectors are to a query's, of the halves that the database compares too. pgvector adds up 32-bit numbers, in an
 * order that depends on the processor: three such sums make a cosine, one a meaning.
 * @param vector the query's
 */
export function createBounding(
  vector: Float32Array,
  meaning: MeaningPart | null,
): (of: KeptVector) => Bounds {
  const halves = Float16Array.from(vector)
  const places = Uint16Array.from([...halves.keys()].filter((at) => halves[at] !== 0))
  const values = Float64Array.from(places, (at) => halves[at] ?? 0)
  const length = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0))
  const { from, length: dimensions } = meaning ?? { from: 0, length: 0 }
  const begin = countBelow(places, from)
  const end = countBelow(places, from + dimensions)

  function product(other: Float16Array, first: number, past: number): number {
    let sum = 0
    for (let at = first; at < past; at++) sum += (values[at] ?? 0) * (other[places[at] ?? 0] ?? 0)
    return sum
  }

  return (of) => {
    const lengths = length * of.length
    const inMeaning = product(of.values, begin, end)
    const whole = product(of.values, 0, begin) + inMeaning + product(of.values, end, places.length)
    const offBy = OFF_BY_A_TERM * (Math.max(places.length, of.terms) + 1)
    const nearness = (sign: number): Near => ({
      // Of a vector without length the database finds nothing.
      score: lengths === 0 ? 0 : Math.min(1, whole / lengths + sign * 2 * offBy),
      meaning: meaning && inMeaning + sign * offBy * lengths,
    })
    return { low: nearness(-1), high: nearness(1) }
  }
}

/** Of a chunk of which nothing is known. */
export function boundless(meaning: MeaningPart | null): Bounds {
  return {
    low: { score: -1, meaning: meaning && Number.NEGATIVE_INFINITY },
    high: { score: 1, meaning: meaning && Number.POSITIVE_INFINITY },
  }
}

/** What bounds tell of the nearest, each by its place in the list. */
export interface Told {
  /** Certainly among the nearest. */
  certain: number[]
  /** Of these alone it has to be known how near they are to tell the nearest, and the best score and the best meaning of them. */
  open: number[]
}

/** Tells which of the chunks are the `limit` nearest, as far as their bounds can. One at a right angle or beyond is none. */
export function tellNearest(bounds: readonly Bounds[], limit: number): Told {
  const enough = Math.max(
    0,
    greatest(
      bounds.map(({ low }) => low.score),
      limit,
    ),
  )
  const tooMany = Math.max(
    0,
    greatest(
      bounds.map(({ high }) => high.score),
      limit + 1,
    ),
  )
  const possible = [...bounds.keys()].filter((at) => {
    const { score } = bounds[at]?.high ?? NOT_NEAR
    return score > 0 && score >= enough
  })
  const isCertain = (at: number): boolean => (bounds[at]?.low.score ?? 0) > tooMany
  const certain = possible.filter(isCertain)
  const bestOf = (read: (near: Near) => number): number =>
    certain.reduce((most, at) => Math.max(most, read(bounds[at]?.low ?? NOT_NEAR)), Number.NEGATIVE_INFINITY)
  const bestScore = bestOf(({ score }) => score)
  const bestMeaning = bestOf(({ meaning }) => meaning ?? Number.POSITIVE_INFINITY)
  const open = possible.filter((at) => {
    const { score, meaning } = bounds[at]?.high ?? NOT_NEAR
    return !isCertain(at) || score >= bestScore || (meaning ?? Number.NEGATIVE_INFINITY) >= bestMeaning
  })
  return { certain, open }
}

const NOT_NEAR: Near = { score: 0, meaning: null }

/** The places of the values that may be among the `limit` greatest, whichever they are between their bounds. */
export function tellGreatest(bounds: readonly { low: number; high: number }[], limit: number): number[] {
  const enough = greatest(
    bounds.map(({ low }) => low),
    limit,
  )
  return [...bounds.keys()].filter((at) => (bounds[at]?.high ?? 0) >= enough)
}

/** The n-th greatest of some values; less than all where there are not so many. */
function greatest(values: readonly number[], n: number): number {
  return Float64Array.from(values).toSorted().at(-n) ?? Number.NEGATIVE_INFINITY
}

function countBelow(places: Uint16Array, end: number): number {
  return places.reduce((count, at) => count + (at < end ? 1 : 0), 0)
}
