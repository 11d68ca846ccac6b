import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { hashEmbeddingModel } from '../../test/support/hash-embedding-model.ts'
import { testItem } from '../../test/support/items.ts'
import { insertOrganization, type TestOrganization } from '../../test/support/organizations.ts'
import { createModelRegistry } from '../embeddings/index.ts'
import { tokenize } from '../inference/embedding-models/builtin/tokenize.ts'
import { createItems, type Items } from '../items/index.ts'
import type { ProviderId } from '../kernel/providers.ts'
import { createReadingList, createRetrieval, type ReadingList } from './index.ts'

const clock = { now: () => new Date('2026-03-01T12:00:00.000Z') }
const QUERY = 'apple bridge'

let database: TestDatabase
let items: Items
let readingList: ReadingList

beforeAll(async () => {
  database = await createTestDatabase()
  const model = hashEmbeddingModel({ dimensions: 512 })
  const models = createModelRegistry({ configured: model, builtin: async () => model })
  items = createItems({ db: database.db, models, clock })
  const { search } = createRetrieval({ db: database.db, models, clock })
  readingList = createReadingList({ search, terms: { tokenize, backgroundWeight: () => 5 } })
})
afterAll(() => database.close())

async function write(of: TestOrganization, provider: ProviderId, bodies: readonly string[]): Promise<void> {
  const written = bodies.map((body, index) =>
    testItem(of, { provider, externalId: `${index}`, title: `${provider} ${index}`, body }),
  )
  await items.write(of.id, written)
}

/** What a key of notion alone reads. */
async function readNotion(of: TestOrganization): Promise<{ title: string; score: number }[]> {
  const hits = await readingList(of.caller(['notion']), { query: QUERY, limit: 25 })
  return hits.map(({ title, score }) => ({ title, score }))
}

const BODIES = [
  'apple candle',
  'bridge candle',
  'apple bridge candle desert',
  'apple apple island',
  'jungle apple harbour garden engine',
]

describe('the reading list', () => {
  it('is the same, order and all, whether or not anything is stored out of the scope of a key', async () => {
    const alone = await insertOrganization(database.db)
    const shared = await insertOrganization(database.db)
    for (const organization of [alone, shared]) await write(organization, 'notion', BODIES)
    await write(
      shared,
      'slack',
      Array.from({ length: 150 }, (_, index) => `apple bridge number ${index}`),
    )
    const seen = await readNotion(shared)
    expect(seen).toEqual(await readNotion(alone))
    expect(seen).toHaveLength(BODIES.length)
  })

  it('has the hits of a search with their scores, `limit` of them, the same each time', async () => {
    const organization = await insertOrganization(database.db)
    await write(organization, 'notion', BODIES)
    const read = (limit: number) => readingList(organization.caller(), { query: QUERY, limit })
    const all = await read(25)
    expect(all).toHaveLength(BODIES.length)
    for (const { score } of all) expect(score).toBeGreaterThan(0)
    expect(await read(25)).toEqual(all)
    expect(await read(2)).toEqual(all.slice(0, 2))
  })
})
