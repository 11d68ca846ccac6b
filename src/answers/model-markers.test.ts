import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { createModelMarkerFilter } from './model-markers.ts'

function filterAll(pieces: readonly string[], hitCount: number): string {
  const filter = createModelMarkerFilter(hitCount)
  return [...pieces.map((piece) => filter.push(piece)), filter.end()].join('')
}

it.each([
  ['It is 5【1】.', 'It is 5[1].'],
  ['Both 【1, 2】 and 【2-3】.', 'Both [1][2] and [2][3].'],
  ['With a place 【1†L3-L5】 or [2†source].', 'With a place [1] or [2].'],
  ['Full width ［3］.', 'Full width [3].'],
  ['Nowhere 【9】【10†source】.', 'Nowhere.'],
  ['Plain [1] and [9].', 'Plain [1] and.'],
  ['A heading 【概要】 and an open 【1', 'A heading 【概要】 and an open 【1'],
  [`Long 【1†${'x'.repeat(200)}】.`, `Long 【1†${'x'.repeat(200)}】.`],
])('markers that models learned elsewhere become plain ones: %s', (text, expected) => {
  expect(filterAll([text], 3)).toBe(expected)
  expect(filterAll([...text], 3)).toBe(expected)
})

it('markers do not depend on how the text is split, and always point to a hit', () => {
  const part = fc.constantFrom(
    '[',
    ']',
    '【',
    '】',
    '［',
    '†',
    '1',
    '9',
    ',',
    '-',
    ' ',
    'a',
    '\n',
    '【1】',
    '[9]',
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 40 }), fc.integer({ min: 1, max: 5 }), (parts, size) => {
      const text = parts.join('')
      const filtered = filterAll(text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [], 2)
      expect(filtered).toBe(filterAll([text], 2))
      for (const marker of filtered.matchAll(/\[(\d+)\]/g)) expect(['1', '2']).toContain(marker[1])
    }),
    { numRuns: 1_000 },
  )
})
