import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { tokenize } from '../../inference/embedding-models/builtin/tokenize.ts'
import { inOneGo } from '../../kernel/cooperative.ts'
import { type Rankable, relevanceOf } from './hybrid-order.ts'
import { hashWord } from './words.ts'

/** Words that are rare in ordinary text; all others are equally common. */
const RARE = new Set(['heron', 'e4711'])
/** Stems of another language. */
const TRANSLATIONS: Readonly<Record<string, readonly string[]>> = { reiher: ['heron', 'egret'] }
const weightOf = (stem: string): number => (RARE.has(stem) ? 10 : 5)

interface Chunk {
  text: string
  title?: string
  score: number
  meaning?: number | null
}
const chunk = (text: string, score: number, more: Partial<Chunk> = {}): Chunk => ({ text, score, ...more })
const wordsOf = (text: string): number[] => tokenize(text).map(hashWord)
const rankable = ({ text, title = '', score, meaning = null }: Chunk): Rankable => {
  const ofTitle = wordsOf(title)
  const numbers = Uint32Array.from([...ofTitle, ...wordsOf(text)])
  return { score, meaning, words: { numbers, titleWords: ofTitle.length } }
}
const relevances = (query: string, chunks: readonly Chunk[]): number[] => {
  const asked = tokenize(query).map((stem) => ({
    hash: hashWord(stem),
    translations: (TRANSLATIONS[stem] ?? []).map(hashWord),
    weight: weightOf(stem),
  }))
  return [...inOneGo(relevanceOf(asked, chunks.map(rankable)))]
}
/** The indexes of the chunks, most relevant first. Ties keep their order. */
const order = (query: string, chunks: readonly Chunk[]): number[] => {
  const all = relevances(query, chunks)
  return [...all.keys()].toSorted((a, b) => (all[b] ?? 0) - (all[a] ?? 0) || a - b)
}

/** Filler chunks that surround a hit. */
const others = Array.from({ length: 50 }, (_, at) => chunk(`filler ${at}`, 0.1))
const othersWithoutMeaning = others.map((other) => ({ ...other, meaning: 0 }))

describe('relevanceOf', () => {
  it('returns the same number from 0 to 1 for equal chunks, whatever the chunks and the query', () => {
    const word = fc.constantFrom('apple', 'bridge', 'candle', 'heron', 'the', 'Übung')
    const text = fc.array(word, { maxLength: 8 }).map((words) => words.join(' '))
    const score = fc.double({ min: 1e-6, max: 1, noNaN: true })
    const meanings = fc.constantFrom(fc.constant(null), fc.double({ min: -1, max: 1, noNaN: true }))
    const chunks = meanings.chain((meaning) =>
      fc.array(fc.record({ text, title: text, score, meaning }), { maxLength: 12 }),
    )
    fc.assert(
      fc.property(text, chunks, (query, some) => {
        const all = relevances(query, [...some, ...some])
        expect(all).toHaveLength(2 * some.length)
        expect(all.slice(some.length)).toEqual(all.slice(0, some.length))
        for (const relevance of all) {
          expect(relevance).toBeGreaterThanOrEqual(0)
          expect(relevance).toBeLessThanOrEqual(1)
        }
      }),
    )
  })

  it('gives a chunk the same relevance at every rank', () => {
    const chunks = [chunk('heron nest', 0.3), chunk('nest of a heron', 0.4), ...others]
    expect(relevances('heron nest', chunks.toReversed())).toEqual(
      relevances('heron nest', chunks).toReversed(),
    )
  })

  it('ranks a single chunk by its words, though all chunks have them', () => {
    const [withWords = 0] = relevances('heron nest', [chunk('heron nest', 0.2)])
    const [without = 0] = relevances('heron nest', [chunk('apple', 0.2)])
    expect(withWords).toBeGreaterThan(without)
  })

  it('returns nothing for no chunks', () => {
    expect(relevances('heron', [])).toEqual([])
  })

  it('orders by cosine a query without words, where the model keeps no meaning apart', () => {
    expect(order('what is the', [chunk('a b', 0.2), chunk('c d', 0.3)])).toEqual([1, 0])
  })

  it('orders by meaning a query whose words no chunk has', () => {
    const chunks = [chunk('a b', 0.3, { meaning: 0.1 }), chunk('c d', 0.2, { meaning: 0.2 })]
    expect(order('xylophone', chunks)).toEqual([1, 0])
  })

  it('returns 0 for every chunk when neither words nor meaning say anything', () => {
    expect(
      relevances('xylophone', [chunk('a b', 0.3, { meaning: 0 }), chunk('c', 0.2, { meaning: -0.1 })]),
    ).toEqual([0, 0])
  })

  it('puts a rare word that the vector buried first', () => {
    expect(order('error E4711', [...others, chunk('after E4711 restart', 0.09)])[0]).toBe(50)
  })

  it('counts a translation of a word as the word itself', () => {
    const chunks = [...others, chunk('the egret lands', 0.1), chunk('der reiher landet', 0.1)]
    expect(order('reiher', chunks).slice(0, 2)).toEqual([50, 51])
    expect(order('heron', chunks)[0]).toBe(0)
  })

  it('does not punish a long query for words that no chunk has', () => {
    const chunks = [chunk('filler', 0.4), chunk('heron launches', 0.36), ...others]
    const long = `heron launches ${Array.from({ length: 60 }, (_, at) => `unheard${at}`).join(' ')}`
    expect(order('heron launches', chunks)[0]).toBe(1)
    expect(order(long, chunks)[0]).toBe(1)
  })

  it('ranks meaning above a single accidental word of the query', () => {
    const chunks = [
      chunk('time off', 0.4, { meaning: 0.4 }),
      chunk('days', 0.1, { meaning: 0 }),
      ...othersWithoutMeaning,
    ]
    expect(order('how many vacation days', chunks)[0]).toBe(0)
  })

  it('follows a few common words only when they are most of the query', () => {
    const chunks = [chunk('renewing a badge', 0.4), chunk('blue paint for the door', 0.35), ...others]
    const question = 'where may people leave an automobile with blue papers behind glass'
    expect(order(question, chunks)[0]).toBe(0)
    expect(order('blue door', chunks)[0]).toBe(1)
  })

  it('prefers a chunk whose title has the words', () => {
    const inContent = chunk('apple bridge candle', 0.3, { title: 'dragon' })
    const inTitle = chunk('dragon bridge candle', 0.3, { title: 'apple' })
    expect(order('apple', [inContent, inTitle, ...others])[0]).toBe(1)
  })

  it('prefers a chunk where neighbors in the query stand close together, in either order', () => {
    const apart = chunk('apple one two three four five six bridge', 0.3)
    const close = chunk('one two three bridge apple four five six', 0.3)
    const [first = 0, second = 0] = relevances('apple bridge', [apart, close, ...others])
    expect(second).toBeGreaterThan(first)
  })

  it("runs in time linear in the query's words, even if one is repeated", () => {
    const hostile = (many: number): string =>
      Array.from({ length: many }, (_, at) => `again word${at}`).join(' ')
    const chunks = Array.from({ length: 20 }, () => chunk('again '.repeat(600), 0.2))
    const timeOf = (many: number): number => {
      const before = performance.now()
      relevances(hostile(many), chunks)
      return performance.now() - before
    }
    timeOf(10)
    expect(timeOf(1000)).toBeLessThan(timeOf(10) * 10 + 200)
  })
})

describe('hashWord', () => {
  it('is FNV-1a of the UTF-16 units', () => {
    expect(hashWord('')).toBe(0x811c9dc5)
    expect(hashWord('a')).toBe(0xe40c292c)
    expect(hashWord('foobar')).toBe(0xbf9cf968)
  })
})
