import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { aHit } from '../../test/support/hits.ts'
import { citationsOf, createMarkerFilter } from './citations.ts'
import type { Hit } from '../retrieval/index.ts'

function filterAll(pieces: readonly string[], hitCount: number): string {
  const filter = createMarkerFilter(hitCount)
  return [...pieces.map((piece) => filter.push(piece)), filter.end()].join('')
}

const hit = (id: string): Hit => aHit({ sourceItemId: id, title: `Title ${id}` })

describe('markers', () => {
  it.each([
    ['The limit is 5 [1].', 'The limit is 5 [1].'],
    ['Gone [9]. Kept [3].', 'Gone. Kept [3].'],
    ['Both [1, 2] and [1;3] and [2–3].', 'Both [1][2] and [1][3] and [2][3].'],
    ['Next to each other [1][2][7].', 'Next to each other [1][2].'],
    ['Some of them [1, 9].', 'Some of them [1].'],
    ['A wide range [2-900000].', 'A wide range [2][3].'],
    ['Footnote style [^2], spaces [ 3 ].', 'Footnote style [2], spaces [3].'],
    ['Zero [0] and backwards [3-1].', 'Zero and backwards.'],
    [
      'Dates [2026-01-31], words [note], decimals [1.5] stay.',
      'Dates [2026-01-31], words [note], decimals [1.5] stay.',
    ],
    ['Hidden in each other [1[9]2] and [[9]9].', 'Hidden in each other and.'],
    ['An open end [1', 'An open end [1'],
  ])('that point nowhere are removed, and all others are plain: %s', (text, expected) => {
    expect(filterAll([text], 3)).toBe(expected)
    expect(filterAll([...text], 3)).toBe(expected)
  })

  it('do not depend on how the text is split, and always point to a hit', () => {
    const part = fc.constantFrom(
      '[',
      ']',
      '1',
      '2',
      '9',
      ',',
      '-',
      ' ',
      'a',
      '.',
      '\n',
      '[1]',
      '[7]',
      '[1, 2]',
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), fc.integer({ min: 1, max: 5 }), (parts, size) => {
        const text = parts.join('')
        const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
        const filtered = filterAll(pieces, 2)
        expect(filtered).toBe(filterAll([text], 2))
        for (const marker of filtered.matchAll(/\[(\d+)\]/g)) expect(['1', '2']).toContain(marker[1])
      }),
      { numRuns: 500 },
    )
  })

  it('are valid wherever the text is split, and the rest is unchanged', () => {
    const part = fc.constantFrom(
      '[',
      ']',
      '^',
      '1',
      '3',
      '12',
      ',',
      ';',
      '–',
      ' ',
      '\t',
      '\n',
      'a',
      '[2]',
      ' [9]',
    )
    const text = fc.array(part, { maxLength: 60 }).map((parts) => parts.join(''))
    const cuts = fc.array(fc.nat(150), { maxLength: 20 })
    fc.assert(
      fc.property(text, cuts, (whole, at) => {
        const ends = [...at.map((cut) => cut % (whole.length + 1)), whole.length].toSorted((a, b) => a - b)
        const pieces = ends.map((end, index) => whole.slice(ends[index - 1] ?? 0, end))
        const filtered = filterAll(pieces, 2)
        expect(filtered).toBe(filterAll([whole], 2))
        // Filtering is idempotent, so no marker in the output is invalid.
        expect(filterAll([filtered], 2)).toBe(filtered)
      }),
      { numRuns: 2_000 },
    )
  })

  it('never hold back more than the length of a marker', () => {
    for (const endless of [' ', '[', '[ ', '[1', '[1, ', '1, ', '[9] [', '[^ ']) {
      const filter = createMarkerFilter(2)
      const text = endless.repeat(10_000)
      const held = text.length - filter.push(text).length
      // Removed markers and brackets count as held text here; the last part shows the real number.
      expect(filter.end().length).toBeLessThanOrEqual(500)
      expect(held).toBeGreaterThanOrEqual(0)
    }
  })

  it('longer than any list of numbers lose their bracket, so that later text cannot complete them', () => {
    const filtered = filterAll([`So [${'1'.repeat(600)}] and [[${' '.repeat(600)}9] 9].`], 2)
    expect(filtered).not.toMatch(/\[/)
    expect(filtered).toContain('1'.repeat(600))
  })

  it('do not delay text without markers, so that a stream flows', () => {
    const filter = createMarkerFilter(2)
    expect(filter.push('Plain words')).toBe('Plain words')
    expect(filter.push(' so far [')).toBe(' so far')
    expect(filter.push('1')).toBe('')
    expect(filter.push('], more')).toBe(' [1], more')
  })
})

it('the citations are the hits whose marker is in the answer, once each, in order of N', () => {
  const hits = [hit('a'), hit('b'), hit('c')]
  expect(citationsOf('See [3], then [1][3].', hits)).toEqual([
    { index: 1, sourceItemId: 'a', title: 'Title a' },
    { index: 3, sourceItemId: 'c', title: 'Title c' },
  ])
  expect(citationsOf('Nothing of it.', hits)).toEqual([])
})
