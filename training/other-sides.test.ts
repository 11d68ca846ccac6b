import { describe, expect, it } from 'vitest'

import type { Pairs, Texts } from './contrast.ts'
import { otherSides } from './other-sides.ts'

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
