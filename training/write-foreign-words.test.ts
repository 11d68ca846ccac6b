import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

import { FOREIGN_WORDS, readForeignWords } from '../src/inference/embedding-models/builtin/foreign-words.ts'
import { foreignStems, storedForeignStems } from './write-foreign-words.ts'

const LINES = 'court\tGericht,Gerichte\ttribunal\t\t\t\t\ndish\tgericht\tplat,à\t\t\t\t\n'

it('writes the stems of each form with the English stems, sorted, without function words', () => {
  expect(foreignStems(LINES, () => false)).toBe('gericht court dish\nplat dish\ntribun court\n')
})

it('leaves out stems that keep their English meaning', () => {
  expect(foreignStems(LINES, (stem) => stem === 'plat')).toBe('gericht court dish\ntribun court\n')
})

it('names the line that lacks a language', () => {
  expect(() => foreignStems(`${LINES}dog\tHund\n`, () => false)).toThrow('Line 3 does not have 7 columns.')
})

it('has written the stems of the current list', async () => {
  expect(readFileSync(FOREIGN_WORDS, 'utf8')).toBe(await storedForeignStems())
})

it('reads the English stems of a stem, and none of an unknown one', () => {
  const translate = readForeignWords('gericht court dish\nplat dish\n')
  expect([translate('gericht'), translate('plat'), translate('court')]).toEqual([
    ['court', 'dish'],
    ['dish'],
    [],
  ])
})
