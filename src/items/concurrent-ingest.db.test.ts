import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { hashEmbeddingModel } from '../../test/support/hash-embedding-model.ts'
import { testItem } from '../../test/support/items.ts'
import { insertOrganization, type TestOrganization } from '../../test/support/organizations.ts'
import type { OpenDatabase } from '../database/database.ts'
import { openPostgres } from '../database/drivers/postgres.ts'
import { createModelRegistry } from '../models/index.ts'
import { createItems, type Items, type NewItem } from './index.ts'
import { cleanItem } from './item.ts'

/** A second instance, if the database allows one. */
let database: TestDatabase
let other: OpenDatabase
let instances: Items[]
let organization: TestOrganization
const model = hashEmbeddingModel()

beforeAll(async () => {
  database = await createTestDatabase()
  other = database.url === null ? database : await openPostgres({ url: database.url })
  const models = createModelRegistry({ configured: model, builtin: async () => model })
  instances = [database, other].map(({ db }) => createItems({ db, models, clock: { now: () => new Date() } }))
})
afterAll(async () => {
  if (other !== database) await other.close()
  await database.close()
})
beforeEach(async () => {
  organization = await insertOrganization(database.db)
})

const newItem = (externalId: string, body: string): NewItem =>
  testItem(organization, { externalId, title: 'Page', body })

/** Runs one ingest for each list of items concurrently over both instances. */
function ingestAll(lists: NewItem[][]) {
  return Promise.all(
    lists.map(async (list, index) => {
      const items = instances[index % instances.length]
      if (!items) throw new Error('no instance')
      return await items.ingest(organization.caller(), list.map(cleanItem), randomUUID())
    }),
  )
}

async function storedItems() {
  const { rows } = await sql<{ external_id: string; body: string; chunks: string; vectors: number }>`
    select i.external_id, i.body,
      (select string_agg(content, ' ' order by position) from chunks c
       where c.organization_id = i.organization_id and c.source_item_id = i.id) as chunks,
      (select count(*)::int from chunk_embeddings e
       where e.organization_id = i.organization_id and e.source_item_id = i.id) as vectors
    from source_items i where i.organization_id = ${organization.id} order by i.external_id`.execute(
    database.db,
  )
  return rows
}

describe('concurrent ingests', () => {
  it('of one new document store it once: one ingests it, the others skip it', async () => {
    for (let round = 0; round < 5; round++) {
      const counts = await ingestAll(Array.from({ length: 8 }, () => [newItem(`r${round}`, 'the same')]))
      expect(counts.reduce((sum, { ingested }) => sum + ingested, 0)).toBe(1)
      expect(counts.reduce((sum, { skipped }) => sum + skipped, 0)).toBe(7)
    }
    expect(await storedItems()).toHaveLength(5)
  })

  it('of different versions all succeed and leave chunks and vectors of one of them', async () => {
    const versions = Array.from({ length: 10 }, (_, index) => `version ${index}`)
    const counts = await ingestAll(versions.map((body) => [newItem('page', body)]))
    expect(counts).toEqual(versions.map(() => ({ ingested: 1, skipped: 0 })))
    const [stored, ...more] = await storedItems()
    expect(more).toEqual([])
    expect(versions).toContain(stored?.body)
    expect(stored).toMatchObject({ chunks: stored?.body, vectors: 1 })
  })

  it('of the same documents in opposite order neither fail nor mix requests within an item', async () => {
    const ids = Array.from({ length: 20 }, (_, index) => `page-${String(index).padStart(2, '0')}`)
    for (let round = 0; round < 3; round++) {
      const lists = Array.from({ length: 6 }, (_, request) => {
        const list = ids.map((id) => newItem(id, `round ${round} request ${request}`))
        return request % 2 === 0 ? list : list.toReversed()
      })
      await ingestAll(lists)
      const stored = await storedItems()
      expect(stored.map(({ external_id }) => external_id)).toEqual(ids)
      // Each request is atomic, so the last one to commit wrote them all.
      expect(new Set(stored.map(({ body }) => body)).size).toBe(1)
      for (const item of stored) expect(item).toMatchObject({ chunks: item.body, vectors: 1 })
    }
  })

  it('and deletes of the same documents leave whole items or none', async () => {
    const ids = Array.from({ length: 8 }, (_, index) => `page-${index}`)
    await ingestAll([ids.map((id) => newItem(id, 'first'))])
    const caller = organization.caller()
    const remove = async (id: string): Promise<void> => {
      await instances[1]
        ?.remove(caller, { provider: 'notion', externalId: id })
        .catch((error: unknown) => expect(error).toMatchObject({ code: 'not_found' }))
    }
    await Promise.all([
      ingestAll([ids.map((id) => newItem(id, 'first')), ids.map((id) => newItem(id, 'second'))]),
      ...ids.map(remove),
    ])
    const stored = await storedItems()
    for (const item of stored) expect(item).toMatchObject({ chunks: item.body, vectors: 1 })
  })

  it('are refused and store nothing if their source is removed while they wait', async () => {
    const slow = hashEmbeddingModel()
    const models = createModelRegistry({
      configured: {
        ...slow,
        async embedDocuments(documents, signal) {
          const { notion } = organization.sourceIds
          await database.db.deleteFrom('sources').where('id', '=', notion).execute()
          return await slow.embedDocuments(documents, signal)
        },
      },
      builtin: async () => slow,
    })
    const items = createItems({ db: database.db, models, clock: { now: () => new Date() } })
    await expect(
      items.ingest(organization.caller(), [cleanItem(newItem('page', 'text'))], randomUUID()),
    ).rejects.toMatchObject({ code: 'not_found', details: { index: 0 } })
    expect(await storedItems()).toEqual([])
  })

  it('prepare again if another request changed an item after it was found identical', async () => {
    await ingestAll([[newItem('same', 'first')]])
    let changed = false
    const racing = createModelRegistry({
      configured: {
        ...model,
        // Runs after the stored items are compared and before the write.
        async embedDocuments(documents, signal) {
          if (!changed) {
            changed = true
            await ingestAll([[newItem('same', 'second')]])
          }
          return await model.embedDocuments(documents, signal)
        },
      },
      builtin: async () => model,
    })
    const items = createItems({ db: database.db, models: racing, clock: { now: () => new Date() } })
    const counts = await items.ingest(
      organization.caller(),
      [newItem('same', 'first'), newItem('new', 'text')].map(cleanItem),
      randomUUID(),
    )
    expect(counts).toEqual({ ingested: 2, skipped: 0 })
    expect(await storedItems()).toMatchObject([
      { body: 'text' },
      { body: 'first', chunks: 'first', vectors: 1 },
    ])
  })
})
