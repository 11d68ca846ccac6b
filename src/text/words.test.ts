import { describe, expect, it } from 'vitest'
import { countWords } from './words.ts'

const count = (text: string): number => countWords(text, 0, text.length).words

describe('countWords', () => {
  it('counts runs between spaces that contain a letter or digit', () => {
    expect(count('Two words, and - no dashes; see foo(bar) | "x" ...')).toBe(8)
    expect(count('Немного слов по-русски, 한국어 문장')).toBe(5)
    expect(count(' \n\t\u00a0')).toBe(0)
  })

  it.each([
    ['zh', '研究表明，人们在阅读时会根据上下文理解词语的意义，因此检索系统必须考虑语言的差异。'],
    ['ja', '検索システムは文書を小さな部分に分けて、それぞれの意味をベクトルとして保存します。'],
    ['th', 'ระบบค้นหาจะแบ่งเอกสารออกเป็นส่วนเล็กๆ แล้วเก็บความหมายของแต่ละส่วนไว้เพื่อใช้ในการค้นหาภายหลัง'],
  ])('is within a third of the dictionary segmenter for %s', (locale, text) => {
    const segments = [...new Intl.Segmenter(locale, { granularity: 'word' }).segment(text)]
    const words = segments.filter((segment) => segment.isWordLike).length
    expect(count(text) / words).toBeGreaterThan(0.67)
    expect(count(text) / words).toBeLessThan(1.5)
  })

  it('counts a long run without spaces as several words', () => {
    expect(count('a'.repeat(400))).toBe(10)
  })

  it('stops before the word that exceeds the limit', () => {
    const text = 'one two three four'
    expect(countWords(text, 0, text.length, 2)).toEqual({ words: 2, end: 8 })
  })
})
