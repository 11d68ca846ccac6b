import { expect, it } from 'vitest'
import { chooseSection } from './choose-section.ts'

/** Five sections of 400 pixels in a window of 1,000, which can be scrolled by 1,000. */
const IDS = ['one', 'two', 'three', 'four', 'five']
const at = (scrolled: number, chosen = '') =>
  chooseSection(
    IDS.map((id, nth) => ({ id, top: nth * 400 - scrolled })),
    { scrolled, room: 1_000, height: 1_000, chosen },
  )

it('marks every section in turn while the page is scrolled, the last ones too', () => {
  expect([0, 200, 400, 600, 800, 1_000].map((scrolled) => at(scrolled))).toEqual([
    'one',
    'two',
    'three',
    'four',
    'five',
    'five',
  ])
})

it('marks the section of a followed link at the top, and at the end of the page', () => {
  expect(at(400, 'two')).toBe('two')
  expect(at(1_000, 'four')).toBe('four')
})

it('highlights the section in view once the reader scrolls past a followed link', () => {
  expect(at(500, 'two')).toBe('three')
  expect(at(800, 'four')).toBe('five')
})

it('marks the first section where nothing can be scrolled', () => {
  const sections = IDS.map((id, nth) => ({ id, top: nth * 100 }))
  expect(chooseSection(sections, { scrolled: 0, room: 0, height: 1_000, chosen: '' })).toBe('one')
})
