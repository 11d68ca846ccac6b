import { describe, expect, it } from 'vitest'
import { tokenize } from '../../inference/embedding-models/builtin/tokenize.ts'
import { inOneGo } from '../../kernel/cooperative.ts'
import { type ChunkToRead, orderForReading } from './reading-order.ts'

const WEIGHTS: Record<string, number> = { team: 1, heron: 10 }
const terms = {
  tokenize,
  backgroundWeight: (stem: string) => WEIGHTS[stem] ?? 6,
  translationsOf: () => [],
  wordVector: () => null,
}

const hit = (title: string, content: string, score: number): ChunkToRead => ({
  title,
  content,
  score,
  meaning: null,
})
const order = (query: string, hits: readonly ChunkToRead[]): number[] =>
  inOneGo(orderForReading(query, hits, terms)).map((found) => hits.indexOf(found))
const read = (query: string, hits: readonly ChunkToRead[]): string[] =>
  inOneGo(orderForReading(query, hits, terms)).map(({ title }) => title)

const near = hit('near', 'The team meets on Mondays to plan the week.', 0.5)
const exact = hit('exact', 'Heron launches in May.', 0.45)
const far = hit('far', 'Heron launches in June.', 0.25)

describe('reading order', () => {
  it("puts chunks with the question's words before those only slightly nearer", () => {
    expect(read('When does Heron launch?', [near, exact])).toEqual(['exact', 'near'])
  })

  it("is the search's order if words say nothing", () => {
    expect(read('vacation', [near, exact, far])).toEqual(['near', 'exact', 'far'])
    expect(read('what is the', [near, exact, far])).toEqual(['near', 'exact', 'far'])
    expect(read('!?', [near, exact, far])).toEqual(['near', 'exact', 'far'])
  })

  it('prefers the nearer of two chunks with the same words', () => {
    expect(read('When does Heron launch?', [near, exact, far]).slice(0, 2)).toEqual(['exact', 'far'])
  })

  it("counts the title's words", () => {
    const titled = hit('Heron', 'It launches in May.', 0.4)
    expect(read('Heron', [near, titled])).toEqual(['Heron', 'near'])
  })

  it('weighs a rare word more than a common one', () => {
    const common = hit('common', 'The team is large.', 0.5)
    const rare = hit('rare', 'Heron is large.', 0.5)
    expect(read('Heron team', [common, rare])).toEqual(['rare', 'common'])
  })

  it("keeps the search's order for ties", () => {
    const equals = ['a', 'b', 'c'].map((title) => hit(title, exact.content, exact.score))
    expect(order('Heron', equals)).toEqual([0, 1, 2])
  })

  it('puts a chunk that is near only because its code repeats the question after one that is near itself', () => {
    const example = hit('example', 'Try it.\n\n```sh\nask "when does Heron launch"\n```', 0.9)
    expect(read('When does Heron launch?', [example, near, exact, far])).toEqual([
      'exact',
      'far',
      'near',
      'example',
    ])
    expect(order('When does Heron launch?', [example])).toEqual([0])
  })

  it('is empty if nothing was found', () => {
    expect(order('Heron', [])).toEqual([])
  })
})
