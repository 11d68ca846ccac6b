import { describe, expect, it } from 'vitest'
import { createKept, type KeptChunk, nameOf, SeenNames } from './kept-chunks.ts'

const chunk = (content: string): KeptChunk => ({
  values: Float16Array.from({ length: 512 }, () => 1),
  squares: 512,
  order: { lanes: 1, fold: 'in turn' },
  shown: { title: 'a title', content, url: null, provider: 'notion', metadata: {}, syncedAt: new Date(0) },
})

describe('chunks that are kept', () => {
  it('take no more room than they have: what was not asked for the longest goes first', () => {
    const kept = createKept(3 * 2_000)
    for (const name of [1, 2, 3]) kept.set(name, chunk('a text'))
    kept.get(1)
    kept.set(4, chunk('a text'))
    expect([1, 2, 3, 4].filter((name) => kept.has(name))).toEqual([1, 3, 4])
    kept.set(5, chunk('x'.repeat(2_000)))
    expect([1, 2, 3, 4, 5].filter((name) => kept.has(name))).toEqual([4, 5])
  })

  it('keep nothing that has no room alone', () => {
    const kept = createKept(4_000)
    kept.set(1, chunk('x'.repeat(5_000)))
    expect(kept.size).toBe(0)
  })
})

describe('names that were seen', () => {
  const names = Array.from({ length: 1_000 }, (_, at) =>
    nameOf({ itemId: '', version: 1_000_000 + Math.floor(at / 7), position: at % 7 }),
  )

  it('are counted, but for those whose place another took', () => {
    const seen = new SeenNames()
    expect(new Set(names.map((name) => seen.note(name)))).toEqual(new Set([1]))
    expect(names.filter((name) => seen.note(name) === 2).length).toBeGreaterThan(900)
    expect(names.filter((name) => seen.note(name) === 3).length).toBeGreaterThan(900)
  })

  it('count less as others come', () => {
    const seen = new SeenNames()
    const [often = 0] = names
    for (let time = 1; time <= 100; time++) seen.note(often)
    const others = Array.from({ length: 200_000 }, (_, at) =>
      nameOf({ itemId: '', version: 1 + (at % 5), position: 0 }),
    )
    for (const name of others) seen.note(name)
    expect(seen.note(often)).toBeLessThan(8)
  })
})

describe('what is kept of metadata', () => {
  it('counts as what it takes, not as it is written: an empty object has two characters', () => {
    const metadata = { list: Array.from({ length: 900 }, () => ({})) }
    const kept = createKept(50_000)
    kept.set(1, { ...chunk(''), shown: { ...chunk('').shown, metadata } })
    expect(kept.size).toBe(0)
  })
})
