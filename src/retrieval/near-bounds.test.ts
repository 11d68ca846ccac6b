import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { KeptVectors } from './kept-vectors.ts'
import { type Bounds, createBounding, tellGreatest, tellNearest } from './near-bounds.ts'

const DIMENSIONS = 96
const MEANING = { from: 32, length: 48 }

/** Numbers of which many are 0, of many sizes. */
const number = fc.oneof(
  fc.constant(0),
  fc.double({ min: -1, max: 1, noNaN: true }),
  fc.double({ min: -6e4, max: 6e4, noNaN: true }),
  fc.double({ min: -1e-6, max: 1e-6, noNaN: true }),
)
const vector = fc
  .array(number, { minLength: DIMENSIONS, maxLength: DIMENSIONS })
  .map((values) => Float32Array.from(values))

/** A sum of 32-bit products as processors make them: in so many lanes, whose sums are added up last, with the rest after them. */
function sum32(left: Float16Array, right: Float16Array, lanes: number): number {
  const sums = new Float32Array(lanes)
  for (let at = 0; at < left.length; at++) {
    const product = Math.fround((left[at] ?? 0) * (right[at] ?? 0))
    sums[at % lanes] = (sums[at % lanes] ?? 0) + product
  }
  return sums.reduce((sum, lane) => Math.fround(sum + lane), 0)
}

const bestFirst = (left: [number, number], right: [number, number]): number =>
  right[1] - left[1] || left[0] - right[0]

/** Scores with bounds around them, some of which touch. */
const bounded = fc
  .record({
    score: fc.integer({ min: -3, max: 12 }),
    meaning: fc.integer({ min: -3, max: 12 }),
    below: fc.integer({ min: 0, max: 4 }),
    above: fc.integer({ min: 0, max: 4 }),
  })
  .map(({ score, meaning, below, above }) => ({
    score,
    meaning,
    bounds: {
      low: { score: score - below, meaning: meaning - above },
      high: { score: score + above, meaning: meaning + below },
    } satisfies Bounds,
  }))

describe('bounds of how near vectors are', () => {
  it('hold whatever 32-bit sums make of the same halves, in whatever order', () => {
    fc.assert(
      fc.property(vector, vector, fc.constantFrom(1, 4, 8, 16), (query, other, lanes) => {
        const [left, right] = [Float16Array.from(query), Float16Array.from(other)]
        const lengths = Math.sqrt(sum32(left, left, lanes) * sum32(right, right, lanes))
        const kept = new KeptVectors().keep('a', right)
        const { low, high } = createBounding(query, MEANING)(kept)
        const part = (halves: Float16Array): Float16Array =>
          halves.subarray(MEANING.from, MEANING.from + MEANING.length)
        const meaning = sum32(part(left), part(right), lanes)
        expect(low.meaning ?? NaN).toBeLessThanOrEqual(meaning)
        expect(high.meaning ?? NaN).toBeGreaterThanOrEqual(meaning)
        if (lengths === 0) return
        const score = Math.min(1, sum32(left, right, lanes) / lengths)
        expect(low.score).toBeLessThanOrEqual(score)
        expect(high.score).toBeGreaterThanOrEqual(score)
        expect(high.score - low.score).toBeLessThan(1e-4)
      }),
      { numRuns: 300 },
    )
  })

  it('tell the nearest and the best of them, once what they leave open is known', () => {
    fc.assert(
      fc.property(fc.array(bounded, { maxLength: 30 }), fc.integer({ min: 1, max: 12 }), (all, limit) => {
        const { certain, open } = tellNearest(
          all.map(({ bounds }) => bounds),
          limit,
        )
        const near = (at: number): [number, number] => [at, all[at]?.score ?? 0]
        const nearest = [...all.keys()]
          .map(near)
          .filter(([, score]) => score > 0)
          .toSorted(bestFirst)
          .slice(0, limit)
          .map(([at]) => at)
        const asked = open
          .map(near)
          .filter(([, score]) => score > 0)
          .toSorted(bestFirst)
          .map(([at]) => at)
        const told = new Set([...certain, ...asked.filter((at) => !certain.includes(at))].slice(0, limit))
        expect(told).toEqual(new Set(nearest))
        const best = (of: readonly number[], by: 'score' | 'meaning') =>
          of.reduce((most, at) => Math.max(most, all[at]?.[by] ?? 0), Number.NEGATIVE_INFINITY)
        const known = open.filter((at) => told.has(at))
        for (const by of ['score', 'meaning'] as const) expect(best(known, by)).toBe(best(nearest, by))
      }),
    )
  })

  it('leave nothing open that they tell, but the best ones', () => {
    const exactly = (score: number): Bounds => {
      const exact = { score, meaning: score }
      return { low: exact, high: exact }
    }
    const scores = [0.5, 0.4, 0.3, 0.2, -0.1]
    expect(tellNearest(scores.map(exactly), 3)).toEqual({ certain: [0, 1, 2], open: [0] })
    expect(tellNearest(scores.map(exactly), 9)).toEqual({ certain: [0, 1, 2, 3], open: [0] })
  })

  it('tell which may be among the greatest', () => {
    fc.assert(
      fc.property(fc.array(bounded), fc.integer({ min: 1, max: 9 }), (all, limit) => {
        const told = tellGreatest(
          all.map(({ bounds: { low, high } }) => ({ low: low.score, high: high.score })),
          limit,
        )
        const greatest = [...all.keys()]
          .map((at): [number, number] => [at, all[at]?.score ?? 0])
          .toSorted(bestFirst)
          .slice(0, limit)
        for (const [at] of greatest) expect(told).toContain(at)
      }),
    )
    const exactly = [3, 1, 2].map((value) => ({ low: value, high: value }))
    expect(tellGreatest(exactly, 2)).toEqual([0, 2])
  })
})
