import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { tokenize } from '../inference/embedding-models/builtin/tokenize.ts'
import { inOneGo } from '../kernel/slices.ts'
import { askedWords, findWords } from './asked-words.ts'
import { orderingByWordsToo, type Ranked } from './hybrid-order.ts'

/** Words that are hardly ever used; all others are as common as one another. */
const UNUSUAL = new Set(['heron', 'e4711'])
const terms = {
  tokenize,
  backgroundWeight: (stem: string) => (UNUSUAL.has(stem) ? 10 : 5),
  wordVector: () => null,
}

interface Chunk {
  text: string
  score: number
  meaning: number | null
}
const chunk = (text: string, score: number, meaning: number | null = null): Chunk => ({
  text,
  score,
  meaning,
})
const rank = (query: string, chunks: readonly Chunk[]): Ranked[] => {
  const asked = askedWords(query, terms)
  const rankable = chunks.map(({ text, ...near }) => ({ ...near, words: findWords(asked, tokenize(text)) }))
  return inOneGo(orderingByWordsToo(asked, rankable, terms))
}
const order = (query: string, chunks: readonly Chunk[]): number[] => rank(query, chunks).map(({ at }) => at)

/** What surrounds a hit among two hundred. */
const others = Array.from({ length: 50 }, (_, at) => chunk(`filler ${at}`, 0.1))
const othersWithoutMeaning = Array.from({ length: 50 }, (_, at) => chunk(`filler ${at}`, 0.1, 0))

describe('the order by words and vectors together', () => {
  it('gives every chunk once, with a relevance above 0 and at most 1 that never rises', () => {
    const word = fc.constantFrom('apple', 'bridge', 'candle', 'the', 'Übung')
    const text = fc.array(word, { maxLength: 8 }).map((words) => words.join(' '))
    const meaning = fc.option(fc.double({ min: -1, max: 1, noNaN: true }))
    const rankable = fc.record({
      text,
      score: fc.double({ min: 1e-6, max: 1, noNaN: true }),
      meaning,
    })
    fc.assert(
      fc.property(text, fc.array(rankable, { maxLength: 12 }), (query, chunks) => {
        const ranked = rank(query, chunks)
        expect(ranked.map(({ at }) => at).toSorted((a, b) => a - b)).toEqual([...chunks.keys()])
        for (const [place, { relevance }] of ranked.entries()) {
          expect(relevance).toBeGreaterThan(0)
          expect(relevance).toBeLessThanOrEqual(1)
          expect(relevance).toBeLessThanOrEqual(ranked[place - 1]?.relevance ?? 1)
        }
      }),
    )
  })

  it('puts a rare word that the vector buried first', () => {
    expect(order('error E4711', [...others, chunk('after E4711 restart', 0.09)])[0]).toBe(50)
  })

  it('does not punish a long question for words that nothing has', () => {
    const chunks = [chunk('filler', 0.4), chunk('heron launches', 0.36), ...others]
    const long = `heron launches ${Array.from({ length: 60 }, (_, at) => `unheard${at}`).join(' ')}`
    expect(order('heron launches', chunks)[0]).toBe(1)
    expect(order(long, chunks)[0]).toBe(1)
  })

  it('keeps a single accidental word of a question from outweighing what is far nearer by meaning', () => {
    const chunks = [chunk('time off', 0.4, 0.4), chunk('days', 0.1, 0), ...othersWithoutMeaning]
    expect(order('how many vacation days', chunks)[0]).toBe(0)
  })

  it('does not follow a few common words of a long question, and follows them where they are most of it', () => {
    const chunks = [chunk('renewing a badge', 0.4), chunk('blue paint for the door', 0.35), ...others]
    const question = 'where may people leave an automobile with blue papers behind glass'
    expect(order(question, chunks)[0]).toBe(0)
    expect(order('blue door', chunks)[0]).toBe(1)
  })

  it('is the order of the vectors where words say nothing, and of meaning where cosines are alike', () => {
    expect(order('what is the', [chunk('a b', 0.3), chunk('c d', 0.2)])).toEqual([0, 1])
    expect(order('xylophone', [chunk('a b', 0.3, 0.1), chunk('c d', 0.3, 0.2)])).toEqual([1, 0])
  })
})
