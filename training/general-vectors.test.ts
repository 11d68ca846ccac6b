import { describe, expect, it } from 'vitest'

import { createRandom } from '../src/kernel/seeded-random.ts'
import { type Pairs, type Texts } from './contrast.ts'
import { generalVectors, type WordList } from './general-vectors.ts'
import { strongestEigenvectors } from './matrices.ts'
import { otherSides } from './other-sides.ts'

const WORDS = ['the', 'leave', 'absence', 'leaving', 'ice-cream', 'holiday', 'salary', 'refund']

/** Random vectors, except those of "leaving", "ice-cream" and the stop word. */
function wordList(): WordList {
  const random = createRandom(3)
  const vectors = new Map(WORDS.map((word) => [word, Array.from({ length: 12 }, () => random() - 0.5)]))
  vectors.set('ice-cream', vectors.get('ice-cream')?.map((one) => 1_000 * one) ?? [])
  vectors.set('the', vectors.get('the')?.map((one) => 1_000 * one) ?? [])
  return { words: WORDS, dimensions: 12, vectorOf: (word) => vectors.get(word) ?? [] }
}

describe('generalVectors', () => {
  it('has one vector for all words of a stem, in the order of frequency, and none for stop words or phrases', () => {
    const { rows, vectors, dimensions } = generalVectors(wordList())
    expect([...rows.keys()]).toEqual(['leav', 'absenc', 'holiday', 'salari', 'refund'])
    expect(vectors.length).toBe(rows.size * dimensions)
    expect(Math.max(...vectors.map(Math.abs))).toBeLessThan(2)
  })

  it('keeps the most frequent stems alone, with all their words', () => {
    expect([...generalVectors(wordList(), 2).rows.keys()]).toEqual(['leav', 'absenc'])
  })

  it('does not depend on what all words share', () => {
    const list = wordList()
    const moved = { ...list, vectorOf: (word: string) => Array.from(list.vectorOf(word), (one) => one + 7) }
    const [expected, found] = [generalVectors(list).vectors, generalVectors(moved).vectors]
    for (const [at, one] of expected.entries()) expect(found[at]).toBeCloseTo(one, 6)
  })

  it('gives a frequent stem less weight than a rare one', () => {
    const random = createRandom(5)
    const words = Array.from({ length: 2_000 }, (_, n) => `word${n}`)
    const { vectors } = generalVectors({
      words,
      dimensions: 12,
      vectorOf: () => Array.from({ length: 12 }, () => random() - 0.5),
    })
    const lengthOf = (row: number): number => Math.hypot(...vectors.subarray(12 * row, 12 * row + 12))
    const mean = (rows: number[]): number => rows.reduce((sum, row) => sum + lengthOf(row), 0) / rows.length
    expect(mean([1_990, 1_991, 1_992])).toBeGreaterThan(5 * mean([0, 1, 2]))
  })
})

describe('strongestEigenvectors', () => {
  it('returns unit vectors along the largest eigenvalues, largest first', () => {
    const [first = [], second = []] = strongestEigenvectors(Float64Array.of(2, 1, 0, 1, 2, 0, 0, 0, 2), 3, 2)
    expect(Array.from(first, Math.abs)).toEqual(
      [Math.SQRT1_2, Math.SQRT1_2, 0].map((one) => expect.closeTo(one, 10)),
    )
    expect(Array.from(second, Math.abs)).toEqual([0, 0, 1].map((one) => expect.closeTo(one, 10)))
  })
})

describe('otherSides', () => {
  it("adds the direction of a pair's other side to the rows that are wanted, less for longer texts", () => {
    const texts = (rows: number[], starts: number[]): Texts => ({
      starts: Uint32Array.from(starts),
      rows: Uint32Array.from(rows),
      counts: new Float32Array(rows.length).fill(1),
    })
    // Row 2 alone beside row 0, and rows 2 and 3 beside rows 0 and 1.
    const pairs: Pairs = {
      left: texts([2, 2, 3], [0, 1, 3]),
      right: texts([0, 0, 1], [0, 1, 3]),
      shares: Float64Array.of(1, 1),
    }
    const vectors = Float32Array.of(5, 0, 0, 5, 0, 0, 0, 0)
    const sums = otherSides(vectors, 2, pairs, (row) => row > 1)
    expect(Array.from(sums)).toEqual([0, 0, 0, 0, 1.5, 0.5, 0.5, 0.5].map((one) => expect.closeTo(one, 10)))
  })
})
