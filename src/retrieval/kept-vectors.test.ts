import { describe, expect, it } from 'vitest'
import { KeptVectors } from './kept-vectors.ts'

const values = (...numbers: number[]): Float16Array => Float16Array.from(numbers)

describe('vectors that are kept', () => {
  it('are found as they were kept last, with their length and how many numbers are not 0', () => {
    const kept = new KeptVectors()
    kept.keep('a', values(1, 1))
    kept.keep('a', values(3, 0, 4))
    expect(kept.find('a')).toEqual({ values: values(3, 0, 4), length: 5, terms: 2 })
    expect(kept.find('b')).toBeNull()
  })

  it('give up what was not asked for the longest, and nothing while there is room', () => {
    const kept = new KeptVectors(2 * (128 + 2))
    for (const name of ['a', 'b', 'b']) kept.keep(name, values(1, 2))
    kept.find('a')
    kept.keep('c', values(1, 2))
    expect(['a', 'b', 'c'].filter((name) => kept.find(name) !== null)).toEqual(['a', 'c'])
  })
})
