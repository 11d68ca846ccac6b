import { describe, expect, it } from 'vitest'

import { rowsOfWords } from './distilled-texts.ts'
import { stemsToKeep, type WordLists, wordsToLearn } from './further-words.ts'

/** "leave" and "stipend" are in the dictionary, and "stipend" is rare. */
const LISTS: WordLists = {
  frequent: [
    'the',
    'netanyahu',
    'leave',
    'ich',
    'ice-cream',
    ...Array.from({ length: 30_000 }, () => 'leave'),
    'stipend',
    'obscureword',
  ],
  common: new Set(['leav', 'stipend']),
  work: ['webinar', 'soc2', 'leaving'],
}

describe('the words that the built-in model learns', () => {
  it('are the frequent ones, rarer ones of the dictionary, and those of work, unless their stem is known', () => {
    expect(wordsToLearn(LISTS, new Set())).toEqual([
      'netanyahu',
      'leave',
      'ich',
      'stipend',
      'webinar',
      'leaving',
    ])
    expect(wordsToLearn(LISTS, new Set(['leav', 'ich']))).toEqual(['netanyahu', 'stipend', 'webinar'])
  })

  it('stay in the artifact if they are no names and no function words of other languages', () => {
    expect([...stemsToKeep({ ...LISTS, common: new Set([...LISTS.common, 'ich']) })]).toEqual([
      'leav',
      'stipend',
      'webinar',
    ])
  })
})

describe('rowsOfWords', () => {
  it('maps each word of the texts to the rows of its stems, and leaves out words without one', () => {
    const words = rowsOfWords([['Leaving the Straße, 東京都', null]], ['leav', 'strass', '東京', '京都'])
    expect(Object.fromEntries(words)).toEqual({ leaving: [0], straße: [1], 東京都: [2, 3] })
  })
})
