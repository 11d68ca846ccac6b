import { describe, expect, it } from 'vitest'
import { createKeptChunks, type KeptChunk, nameOf, SeenNames } from './kept-chunks.ts'

const chunk = (content: string): KeptChunk => ({
  values: Float16Array.from({ length: 512 }, () => 1),
  squares: 512,
  order: { lanes: 1, fold: 'in turn' },
  shown: { title: 'a title', content, url: null, provider: 'notion', metadata: {}, syncedAt: new Date(0) },
})

describe('chunks that are kept', () => {
  it('take no more room than they have: what was not asked for the longest goes first', () => {
    const kept = createKeptChunks(3 * 2_000)
    for (const name of [1, 2, 3]) kept.set(name, chunk('a text'))
    kept.get(1)
    kept.set(4, chunk('a text'))
    expect([1, 2, 3, 4].filter((name) => kept.has(name))).toEqual([1, 3, 4])
    kept.set(5, chunk('x'.repeat(2_000)))
    expect([1, 2, 3, 4, 5].filter((name) => kept.has(name))).toEqual([4, 5])
  })

  it('keep nothing that has no room alone', () => {
    const kept = createKeptChunks(4_000)
    kept.set(1, chunk('x'.repeat(5_000)))
    expect(kept.size).toBe(0)
  })
})

describe('names that were seen', () => {
  it('are told from new ones', () => {
    const seen = new SeenNames()
    const names = Array.from({ length: 1_000 }, (_, at) =>
      nameOf({ itemId: '', version: 1_000_000 + Math.floor(at / 7), position: at % 7 }),
    )
    expect(names.filter((name) => seen.note(name))).toEqual([])
    expect(names.filter((name) => seen.note(name)).length).toBeGreaterThan(900)
  })
})
