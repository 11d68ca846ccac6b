import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { hashEmbeddingModel } from '../../test/support/hash-embedding-model.ts'
import { testItem } from '../../test/support/items.ts'
import { insertOrganization, type TestOrganization } from '../../test/support/organizations.ts'
import { testTerms } from '../../test/support/term-weights.ts'
import { createModelRegistry } from '../models/index.ts'
import { createItems, type Items } from '../items/index.ts'
import { createRetrieval, type Search } from './index.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')
const clock = { at: NOW, now: () => clock.at }

let database: TestDatabase
let items: Items
let search: Search
let organization: TestOrganization

beforeAll(async () => {
  database = await createTestDatabase()
  const model = hashEmbeddingModel({ dimensions: 512 })
  const models = createModelRegistry({ configured: model, builtin: async () => model })
  items = createItems({ db: database.db, models, clock })
  search = createRetrieval({ db: database.db, models, clock, terms: testTerms }).search
})
afterAll(() => database.close())
beforeEach(async () => {
  clock.at = NOW
  organization = await insertOrganization(database.db)
  await write('apple price list', 'apple', '2020-01-01')
  await write('apple price list again', 'apple island', '2026-02-20')
  await write('menu', 'candle', '2026-03-01')
})

async function write(title: string, body: string, day: string): Promise<void> {
  const sourceUpdatedAt = new Date(`${day}T12:00:00.000Z`)
  await items.write(organization.id, [
    testItem(organization, { externalId: title, title, body, sourceUpdatedAt }),
  ])
}

const titles = (hits: readonly { title: string }[]): string[] => hits.map(({ title }) => title)
const find = async (body: { recency?: number; rank?: 'vector' | 'hybrid'; limit?: number; query?: string }) =>
  (await search(organization.caller(), { query: 'apple price list', limit: 8, ...body })).hits

describe.each(['vector', 'hybrid'] as const)('recency in %s order', (rank) => {
  it('puts the newer of two similar items first, with a descending relevance', async () => {
    expect(titles(await find({ rank }))[0]).toBe('apple price list')
    const hits = await find({ rank, recency: 30 })
    expect(titles(hits)[0]).toBe('apple price list again')
    const relevances = hits.map(({ relevance }) => relevance ?? Number.NaN)
    expect(relevances).toEqual(relevances.toSorted((a, b) => b - a))
    expect(Math.max(...relevances)).toBeLessThanOrEqual(1)
  })

  it('leaves scores unchanged and fills the limit from all results', async () => {
    const scores = (hits: readonly { title: string; score: number }[]) =>
      new Map(hits.map(({ title, score }) => [title, score]))
    expect(scores(await find({ rank, recency: 30 }))).toEqual(scores(await find({ rank })))
    expect(titles(await find({ rank, recency: 30, limit: 1 }))).toEqual(['apple price list again'])
  })

  it('keeps an old item that is the only answer ahead of newer ones', async () => {
    await write('holidays', 'desert engine forest', '2015-01-01')
    await write('parking', 'desert garden harbour island jungle', '2026-03-01')
    expect(titles(await find({ rank, recency: 30, query: 'desert engine forest' }))[0]).toBe('holidays')
  })

  it('weighs age less for a longer half-life', async () => {
    const relevanceAt = async (recency: number) =>
      (await find({ rank, recency })).find(({ title }) => title === 'apple price list')?.relevance ?? 0
    expect(await relevanceAt(10_000)).toBeGreaterThan(await relevanceAt(30))
  })

  it('counts the age of an item without a date from when its content last changed, not from its last sync', async () => {
    const undated = testItem(organization, { externalId: 'fruit', title: 'apple price list', body: 'apple' })
    clock.at = new Date('2020-01-01T12:00:00.000Z')
    await items.write(organization.id, [undated])
    clock.at = NOW
    await items.write(organization.id, [undated])
    const hits = (await find({ rank, recency: 30 })).filter(({ title }) => title === 'apple price list')
    expect(hits).toHaveLength(2)
    expect(hits[0]?.relevance).toBeCloseTo(hits[1]?.relevance ?? Number.NaN, 5)
  })
})
