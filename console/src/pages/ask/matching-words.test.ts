import { describe, expect, it } from 'vitest'
import { excerptOf, markWords, wordsToMark } from './matching-words.ts'

const marked = (text: string, query: string): string =>
  markWords(text, wordsToMark(query))
    .map(({ text: piece, isMatch }) => (isMatch ? `[${piece}]` : piece))
    .join('')

describe('the words that matched', () => {
  it('are marked in any case and number, without common words', () => {
    expect(marked('Vacation: 25 days for all of us.', 'How many vacations days for us')).toBe(
      '[Vacation]: 25 [days] for all of us.',
    )
  })

  it('are whole words of any script, or numbers', () => {
    expect(marked('Port 80, not 8080. Straße und Straßenbahn', 'port 80 straße')).toBe(
      '[Port] [80], not 8080. [Straße] und Straßenbahn',
    )
  })

  it('leave a text without matches unchanged', () => {
    expect(markWords('Nothing here', wordsToMark('how do I'))).toEqual([
      { from: 0, text: 'Nothing here', isMatch: false },
    ])
    expect(markWords('', wordsToMark('a word'))).toEqual([])
  })

  it('are in the excerpt, which begins at a word shortly before the first match', () => {
    const long = `${'filler words\n\n '.repeat(100)}the hotel limit is 140${' and so on'.repeat(100)}`
    const excerpt = excerptOf(long, wordsToMark('hotel'), 200)
    expect(excerpt).toMatch(/^… (?:filler|words) .*the hotel limit is 140 .*…$/)
    expect(excerpt.length).toBeLessThan(210)
    expect(excerptOf('Short\n text', wordsToMark('hotel'), 200)).toBe('Short text')
  })

  it('are in the excerpt where most of them are together', () => {
    const far = ' and so on'.repeat(50)
    const text = `The hotel opens at 8.${far} The hotel limits are 140 euros.${far} Hotel again.`
    expect(excerptOf(text, wordsToMark('hotel limit'), 200)).toContain('The hotel limits are 140 euros.')
  })
})
