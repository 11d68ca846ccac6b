import { describe, expect, it } from 'vitest'
import { isFrom, readWords } from './text-overlap.ts'

const text = readWords(
  '## Laptops\n\nA **laptop** is replaced every 36 months.\n\n| Area | Owner |\n|---|---|\n| Payroll | Ines Okafor |',
)

describe('a sentence', () => {
  it.each([
    ['as it stands there', 'A laptop is replaced every 36 months.'],
    ['with its markup gone and little in front', 'Note: a laptop is replaced every 36 months'],
    ['as a table row with the names of its columns', 'Payroll – Owner: Ines Okafor'],
  ])('is from a text %s', (_how, sentence) => {
    expect(isFrom(sentence, text)).toBe(true)
  })

  it.each([
    ['in other words', 'Every 36 months you get a new laptop.'],
    ['that only begins the same', 'A laptop is replaced when it breaks and nobody can mend it.'],
    ['of words that stand far apart', 'Payroll laptops months'],
    ['too short to tell', 'Laptops'],
    ['of nothing', ''],
  ])('is not from a text %s', (_how, sentence) => {
    expect(isFrom(sentence, text)).toBe(false)
  })
})
