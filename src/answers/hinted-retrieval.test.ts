import { describe, expect, it } from 'vitest'
import { aHit } from '../../test/support/hits.ts'
import type { Hit } from '../retrieval/index.ts'
import { createHintedRetrieval } from './hinted-retrieval.ts'

const hit = (title: string, provider: Hit['provider'], score: number): Hit =>
  aHit({ sourceItemId: title, title, content: title, provider, score })
const stored = [
  { hit: hit('offer of January', 'gmail', 0.5), day: '2026-01-02' },
  { hit: hit('offer of March', 'gmail', 0.49), day: '2026-03-02' },
  { hit: hit('talk about the offer', 'slack', 0.4), day: '2026-02-02' },
  { hit: hit('menu', 'gmail', 0.01), day: '2026-03-19' },
]
const limits: number[] = []
const retrieve = createHintedRetrieval<{ query: string; limit: number; recency?: number }>({
  search: (_, limit) => {
    limits.push(limit)
    const hits = stored.slice(0, limit).map((one) => one.hit)
    return Promise.resolve({ hits, isWeak: false, isApproximate: false })
  },
  readAround: (_, hits) =>
    Promise.resolve(
      hits.map(({ title }) => {
        const day = stored.find((one) => one.hit.title === title)?.day ?? ''
        return { position: 0, heading: null, changedAt: new Date(day), beside: [] }
      }),
    ),
  clock: { now: () => new Date('2026-03-20T12:00:00Z') },
})
const titles = async (query: string, limit = 2): Promise<string[]> =>
  (await retrieve({ query, limit })).hits.map(({ title }) => title)

describe('retrieval with hints', () => {
  it('puts the newest first if the question asks for the latest, without unrelated results', async () => {
    expect(await titles('What is the latest offer?')).toEqual(['offer of March', 'offer of January'])
  })

  it('prefers newer items for every question if the request says so', async () => {
    const { hits, gains } = await retrieve({ query: 'What about the offer?', limit: 2, recency: 30 })
    expect(hits.map(({ title }) => title)).toEqual(['offer of March', 'offer of January'])
    expect(gains?.[0]).toBeGreaterThan(gains?.[1] ?? 1)
  })

  it("finds a provider's items beyond the first hits", async () => {
    expect(await titles('What about the offer in Slack?')).toContain('talk about the offer')
  })

  it('searches once, with the requested limit if a question has no hints', async () => {
    limits.length = 0
    expect(await titles('What about the offer?')).toEqual(['offer of January', 'offer of March'])
    expect(await titles('What about the offer in Reykjavik?', 1)).toEqual(['offer of January'])
    expect(limits).toEqual([2, 3])
  })
})
