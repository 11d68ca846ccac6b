import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { splitParts } from './split-parts.ts'

describe('splitParts', () => {
  it('yields parts that join to the text, each within the limit, without splitting surrogate pairs', () => {
    const text = fc.array(
      fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('\n\n', '\n', ' ', '😀😀😀')),
    )
    fc.assert(
      fc.property(text, fc.integer({ min: 12, max: 60 }), (pieces, bytesMax) => {
        const whole = pieces.join('')
        const parts = splitParts(whole, bytesMax)
        expect(parts.join('')).toBe(whole)
        for (const part of parts) {
          expect(Buffer.byteLength(part)).toBeLessThanOrEqual(bytesMax)
          expect(part.isWellFormed()).toBe(true)
        }
      }),
    )
  })

  it('leaves a short text whole, and cuts others at the end of a paragraph', () => {
    expect(splitParts('short')).toEqual(['short'])
    expect(splitParts('one two three\n\nfour five six', 20)).toEqual(['one two three\n\n', 'four five six'])
  })
})
