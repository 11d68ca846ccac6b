import { describe, expect, it } from 'vitest'

import { tokenize } from './tokenize.ts'

describe('tokenize', () => {
  it('drops stop words and stems the rest with Porter2', () => {
    expect(tokenize('How many vacation days do I get when relocating?')).toEqual([
      'mani',
      'vacat',
      'day',
      'reloc',
    ])
  })

  it("stems like Snowball's English stemmer where Porter1 differs", () => {
    const words =
      'consistency consisting knightly skies dying generously communism succeed outings news cried ties'
    expect(tokenize(words).join(' ')).toBe(
      'consist consist knight sky die generous communism succeed outing news cri tie',
    )
  })

  it('drops the rest of a possessive or contraction, and only there', () => {
    expect(tokenize("The company's plan, the team’s goals: we'll ship")).toEqual([
      'compani',
      'plan',
      'team',
      'goal',
      'ship',
    ])
    expect(tokenize('T cells and vitamin D')).toEqual(['t', 'cell', 'vitamin', 'd'])
  })

  it('treats accented Latin letters as plain ones', () => {
    expect(tokenize('Café résumé naïve Straße Łódź')).toEqual(tokenize('cafe resume naive strasse lodz'))
  })

  it('treats compatibility forms as the letters they stand for', () => {
    expect(tokenize('ﬁnance ＰＤＦ')).toEqual(tokenize('finance pdf'))
  })

  it('splits unspaced scripts into pairs of neighbors and keeps words between them', () => {
    expect(tokenize('東京都のPDFファイル')).toEqual(['東京', '京都', '都の', 'pdf', 'ファ', 'ァイ', 'イル'])
    expect(tokenize('水')).toEqual(['水'])
  })

  it('keeps words of other scripts whole', () => {
    expect(tokenize('Отпуск сотрудников עובדים हिन्दी')).toEqual(['отпуск', 'сотрудников', 'עובדים', 'हिन्दी'])
  })

  it('finds no word in punctuation, spaces, emoji or lone surrogates', () => {
    expect(tokenize(' -- !? \u{1F600} \uD800 … ')).toEqual([])
  })

  it('does not split letters beyond the basic plane', () => {
    expect(tokenize('𐌰𐌱𐌲 ab')).toEqual(['𐌰𐌱𐌲', 'ab'])
  })
})
