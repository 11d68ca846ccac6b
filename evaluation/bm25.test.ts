import { describe, expect, it } from 'vitest'
import { createBm25 } from './bm25.ts'

const documents = [
  {
    id: 'long',
    title: 'Birds',
    text: `Herons fish. ${'Many other words stand here beside it. '.repeat(10)}`,
  },
  { id: 'short', title: 'Birds', text: 'Herons fish.' },
  { id: 'common', title: 'Birds', text: 'Gulls eat.' },
  { id: 'other', title: 'Ships', text: 'Sails.' },
]
const rank = createBm25(documents)

describe('BM25', () => {
  it('ranks by stems, shorter documents before longer ones, and leaves out documents without a shared word', () => {
    expect(rank('a heron', 10)).toEqual(['short', 'long'])
  })

  it('weighs rare words more than common ones', () => {
    expect(rank('birds gull', 10)[0]).toBe('common')
    expect(rank('birds heron', 10)[0]).toBe('short')
  })

  it('breaks ties by the order of the documents, and stops at the limit', () => {
    const equals = createBm25(['x', 'y', 'z'].map((id) => ({ id, title: '', text: 'heron' })))
    expect(equals('heron', 2)).toEqual(['x', 'y'])
  })

  it('scores according to the formula', () => {
    // Two documents of one stem each: their length equals the average, so each occurrence counts (k1 + 1) /
    // (1 + k1) = 1.
    const two = createBm25([
      { id: 'a', title: '', text: 'heron' },
      { id: 'b', title: '', text: 'gull' },
    ])
    expect(two('heron gull gull', 2)).toEqual(['b', 'a'])
  })

  it('finds nothing for only stop words', () => {
    expect(rank('what is the', 10)).toEqual([])
  })
})
