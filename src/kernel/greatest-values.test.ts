import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Greatest } from './greatest-values.ts'

describe('the greatest values', () => {
  it('have the same least value that sorting finds, or 0 while there are too few', () => {
    const values = fc.array(fc.double({ noNaN: true, min: -1, max: 1 }), { maxLength: 60 })
    fc.assert(
      fc.property(values, fc.integer({ min: 1, max: 20 }), (noted, wanted) => {
        const greatest = new Greatest(wanted)
        for (const [index, value] of noted.entries()) {
          greatest.note(value)
          const sorted = noted.slice(0, index + 1).toSorted((one, other) => other - one)
          expect(greatest.least).toBe(Math.max(0, sorted[wanted - 1] ?? 0))
        }
      }),
    )
  })
})
