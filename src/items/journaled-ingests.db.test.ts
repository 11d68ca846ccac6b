import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { hashEmbeddingModel } from '../../test/support/hash-embedding-model.ts'
import { testItem } from '../../test/support/items.ts'
import { insertOrganization, insertSource, type TestOrganization } from '../../test/support/organizations.ts'
import {
  journaledProcess,
  type JournaledProcess,
  type JournaledProcessOptions,
} from '../../test/support/journaled-process.ts'
import { until } from '../../test/support/until.ts'
import { ensureStoredModel } from '../models/index.ts'
import type { EmbeddingModel } from '../inference/embedding-model.ts'
import { AppError } from '../kernel/errors.ts'
import { createRemovals } from '../sources/index.ts'
import { dropActiveRuns } from '../sync/index.ts'
import { changeWithoutLock } from '../item-changes/index.ts'
import type { NewItem } from './index.ts'
import { writeParts } from './ingest-journal.ts'
import { cleanItem } from './item.ts'

/** Items of one chunk each: several steps. */
const COUNT = 300
/** Items per step at most. */
const STEP_ITEMS = 48

const model = hashEmbeddingModel()
const clock = { now: () => new Date() }

let database: TestDatabase
let organization: TestOrganization

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())
beforeEach(async () => {
  organization = await insertOrganization(database.db)
})

/** A process with the database open. By default another request is always waiting. */
const instance = (options: JournaledProcessOptions = {}): JournaledProcess =>
  journaledProcess(database.db, options)

/** The next process on the same database. */
const nextProcess = (embedding = model): JournaledProcess =>
  journaledProcess(database.db.withoutPlugins(), { embedding })

/** A process that dies after this many steps, each in its own transaction. */
const dyingAfter = (steps: number): JournaledProcess => journaledProcess(database.db, { steps })

const newItem = (n: number, values: Partial<NewItem>): NewItem =>
  testItem(organization, { externalId: `page-${String(n).padStart(4, '0')}`, ...values })

/** Each with the values for its number. */
const documentsOf = (valuesOf: (n: number) => Partial<NewItem>, count = COUNT) =>
  Array.from({ length: count }, (_, n) => cleanItem(newItem(n, valuesOf(n))))

const documents = (body = 'text', count = COUNT) => documentsOf(() => ({ body }), count)

const ingest = ({ items }: JournaledProcess, given = documents()) =>
  items.ingest(organization.caller(), given, randomUUID())

async function stored() {
  const { rows } = await sql<{
    id: string
    external_id: string
    source_id: string
    body: string
    found: string
  }>`
    select i.id, i.external_id, i.source_id, i.body, (
      select string_agg(c.content, ' ') from chunks c
      join chunk_embeddings e on e.organization_id = c.organization_id and e.source_item_id = c.source_item_id
        and e.position = c.position
      where c.organization_id = i.organization_id and c.source_item_id = i.id) as found
    from source_items i where i.organization_id = ${organization.id} order by i.external_id`.execute(
    database.db,
  )
  return rows
}

/** The number of documents by body; each must be found by that body. */
async function bodies(): Promise<Record<string, number>> {
  const rows = await stored()
  for (const { body, found } of rows) expect(found).toBe(body)
  const kinds = Map.groupBy(rows, ({ body }) => body)
  return Object.fromEntries([...kinds].map(([body, of]) => [body, of.length]))
}

const events = () =>
  database.db
    .selectFrom('audit_events')
    .select('metadata')
    .where('organization_id', '=', organization.id)
    .where('action', '=', 'source_item.ingest')
    .execute()

const written = async (): Promise<number> => {
  const rows = await database.db
    .selectFrom('ingest_parts')
    .select('part')
    .where('organization_id', '=', organization.id)
    .execute()
  return rows.length
}

/** The number of items that each transaction changed. */
async function transactions(): Promise<number[]> {
  const rows = await database.db
    .selectFrom('item_changes')
    .select('item_ids')
    .where('organization_id', '=', organization.id)
    .orderBy('revision')
    .execute()
  return rows.map(({ item_ids }) => JSON.parse(item_ids ?? '[]').length)
}

const someStored = () => until('the first documents', stored, (rows) => rows.length > 0)

describe('a large ingest', () => {
  it('uses a transaction for each step while other requests wait, and counts and records one ingest', async () => {
    expect(await ingest(instance())).toEqual({ ingested: COUNT, skipped: 0 })
    const sizes = await transactions()
    expect(Math.max(...sizes)).toBeLessThanOrEqual(STEP_ITEMS)
    expect(sizes.length).toBeGreaterThanOrEqual(COUNT / STEP_ITEMS)
    expect(await bodies()).toEqual({ text: COUNT })
    expect(await events()).toEqual([{ metadata: { documents: COUNT, ingested: COUNT, skipped: 0 } }])
    expect(await written()).toBe(0)
  })

  it('uses one transaction when no other request waits', async () => {
    await ingest(instance({ isAwaited: () => false }))
    expect(await transactions()).toEqual([COUNT])
    expect(await bodies()).toEqual({ text: COUNT })
  })

  it('counts changed, moved and unchanged documents, and confirms the unchanged ones', async () => {
    await ingest(instance())
    const longAgo = new Date(0)
    await database.db
      .updateTable('source_items')
      .set({ synced_at: longAgo })
      .where('organization_id', '=', organization.id)
      .execute()
    expect(await ingest(instance())).toEqual({ ingested: 0, skipped: COUNT })
    const left = await database.db
      .selectFrom('source_items')
      .select('id')
      .where('organization_id', '=', organization.id)
      .where('synced_at', '=', longAgo)
      .execute()
    expect(left).toEqual([])
    const other = await insertSource(database.db, organization.id, { provider: 'notion' })
    const kinds = [{ body: 'text', sourceId: other }, { body: 'new' }, { body: 'text' }]
    const mixed = documentsOf((n) => kinds[n % 3] ?? {})
    expect(await ingest(instance(), mixed)).toEqual({ ingested: 200, skipped: 100 })
    expect(await bodies()).toEqual({ text: 200, new: 100 })
    const rows = await stored()
    expect(rows.filter(({ source_id }) => source_id === other)).toHaveLength(100)
    expect(await events()).toHaveLength(3)
  })

  it('ends the claims of sync runs on its documents, changed or not', async () => {
    await ingest(instance())
    const rows = await stored()
    await database.db
      .insertInto('synced_items')
      .values(
        rows.map(({ id, external_id, source_id }) => ({
          organization_id: organization.id,
          source_id,
          external_id,
          source_item_id: id,
        })),
      )
      .execute()
    const some = documentsOf((n) => ({ body: n % 2 === 0 ? 'text' : 'new' }))
    expect(await ingest(instance(), some)).toEqual({ ingested: 150, skipped: 150 })
    const left = await database.db
      .selectFrom('synced_items')
      .select('external_id')
      .where('organization_id', '=', organization.id)
      .execute()
    expect(left).toEqual([])
  })

  it('stores nothing and empties the journal when it is refused before the decision', async () => {
    const removing = {
      ...model,
      async embedDocuments(...given: Parameters<EmbeddingModel['embedDocuments']>) {
        await database.db
          .updateTable('sources')
          .set({ removed_at: new Date() })
          .where('id', '=', organization.sourceIds.notion)
          .execute()
        return await model.embedDocuments(...given)
      },
    }
    await expect(ingest(instance({ embedding: removing }))).rejects.toMatchObject({ code: 'not_found' })
    expect([await stored(), await events(), await written()]).toEqual([[], [], 0])
  })

  it('stores all documents of one request or all of the other when two have the same documents', async () => {
    const { items } = instance()
    for (let round = 0; round < 3; round++) {
      const counts = await Promise.all(
        [`a${round}`, `b${round}`].map((body) =>
          items.ingest(organization.caller(), documents(body), randomUUID()),
        ),
      )
      expect(counts).toEqual([
        { ingested: COUNT, skipped: 0 },
        { ingested: COUNT, skipped: 0 },
      ])
      expect(Object.values(await bodies())).toEqual([COUNT])
    }
  })

  it('makes other changes of the items wait until it ends', async () => {
    const here = instance()
    const last = documents().at(-1)?.externalId ?? ''
    const [, small] = await Promise.all([
      ingest(here),
      someStored().then(async () => {
        // It is not stored yet, so the deletion waits for the ingest.
        await here.items.remove(organization.caller(), { provider: 'notion', externalId: last })
        const { length } = await stored()
        const pushed = await ingest(here, documents('later', 1))
        return { length, pushed }
      }),
    ])
    expect(small).toEqual({ length: COUNT - 1, pushed: { ingested: 1, skipped: 0 } })
    expect(await bodies()).toEqual({ later: 1, text: COUNT - 2 })
  })

  it('is stored and then deleted when its source is removed meanwhile', async () => {
    const removals = createRemovals({
      db: database.db,
      clock,
      endRuns: dropActiveRuns,
      onError: (error) => {
        throw error
      },
    })
    const source = { organizationId: organization.id, sourceId: organization.sourceIds.notion }
    const remove = async (): Promise<void> => {
      await someStored()
      await changeWithoutLock(database.db, organization.id, (tx, changes) =>
        removals.mark(tx, changes, source),
      )
      await removals.finish(source)
    }
    const removing = remove()
    expect(await ingest(instance())).toEqual({ ingested: COUNT, skipped: 0 })
    await removing
    expect(await stored()).toEqual([])
    await removals.stop()
  })

  it('continues with the vectors of both models when a move to another model begins', async () => {
    const target = hashEmbeddingModel({ id: 'builtin-9' })
    const { id } = await ensureStoredModel(database.db, target)
    const move = {
      organization_id: organization.id,
      id: randomUUID(),
      embedding_model_id: id,
      status: 'running' as const,
      started_at: new Date(),
    }
    const moving = someStored().then(() => database.db.insertInto('reembeddings').values(move).execute())
    expect(await ingest(instance({ target }))).toEqual({ ingested: COUNT, skipped: 0 })
    await moving
    const vectors = await database.db
      .selectFrom('chunk_embeddings')
      .select((eb) => eb.fn.countAll<string>().as('n'))
      .where('organization_id', '=', organization.id)
      .groupBy('embedding_model_id')
      .execute()
    const counts = vectors.map(({ n }) => Number(n)).toSorted((x, y) => x - y)
    expect(counts).toEqual([expect.any(Number), COUNT])
    expect(counts[0]).toBeGreaterThan(0)
    expect(counts[0]).toBeLessThan(COUNT)
  })
})

describe('a process that dies during a large ingest', () => {
  it.each([1, 3, 5])(
    'after the decision and %i steps: the next start stores all of it, once',
    async (steps) => {
      await expect(ingest(dyingAfter(steps))).rejects.toThrow('died')
      expect(await events()).toHaveLength(1)
      const next = nextProcess()
      await next.journaled.start()
      expect(await bodies()).toEqual({ text: COUNT })
      expect(await events()).toEqual([{ metadata: { documents: COUNT, ingested: COUNT, skipped: 0 } }])
      expect([await written(), next.errors]).toEqual([0, []])
      expect(await ingest(next)).toEqual({ ingested: 0, skipped: COUNT })
      await next.journaled.stop()
    },
  )

  it('in the deciding transaction: nothing is stored', async () => {
    await expect(ingest(dyingAfter(0), documents('long '.repeat(500)))).rejects.toThrow('died')
    expect([await stored(), await written(), await events()]).toEqual([[], 0, []])
    expect(await ingest(instance())).toEqual({ ingested: COUNT, skipped: 0 })
  })

  it('before the decision: nothing is stored, and the next start empties the journal', async () => {
    const ingestOf = { organizationId: organization.id, ingestId: randomUUID() }
    await writeParts(database.db, ingestOf, documents('long '.repeat(500)))
    expect(await written()).toBeGreaterThan(1)
    const next = nextProcess()
    await next.journaled.start()
    expect([await stored(), await written(), await events()]).toEqual([[], 0, []])
    await next.journaled.stop()
  })

  it('and whose source was deleted before the next start: only documents of other sources are stored', async () => {
    const { slack } = organization.sourceIds
    const given = documentsOf((n) => (n < 200 ? { provider: 'slack', sourceId: slack } : {}))
    await expect(ingest(dyingAfter(1), given)).rejects.toThrow('died')
    await database.db.deleteFrom('source_items').where('source_id', '=', slack).execute()
    await database.db.deleteFrom('sources').where('id', '=', slack).execute()
    const next = nextProcess()
    await next.journaled.start()
    expect(await stored()).toHaveLength(100)
    expect([await written(), next.errors]).toEqual([0, []])
    await next.journaled.stop()
  })

  it('and finds no model at the next start: other changes are refused until the ingest is finished', async () => {
    await expect(ingest(dyingAfter(1))).rejects.toThrow('died')
    let isAway = true
    const next = nextProcess({
      ...model,
      async embedDocuments(...given) {
        if (isAway) throw new AppError('upstream_error', 'away')
        return await model.embedDocuments(...given)
      },
    })
    await next.journaled.start()
    expect(next.errors).toMatchObject([{ code: 'overloaded', cause: { code: 'upstream_error' } }])
    const externalId = documents()[0]?.externalId ?? ''
    const remove = () => next.items.remove(organization.caller(), { provider: 'notion', externalId })
    await expect(remove()).rejects.toMatchObject({ code: 'overloaded', headers: { 'Retry-After': '60' } })
    isAway = false
    // Otherwise finishing the ingest later would restore the deleted document.
    await remove()
    expect(await bodies()).toEqual({ text: COUNT - 1 })
    expect(await written()).toBe(0)
    await next.journaled.stop()
  })

  it('and recovers: the next change of the items runs after the committed ingest', async () => {
    let asked = 0
    const here = instance({
      isAwaited() {
        asked += 1
        if (asked === 3) throw new Error('disk full')
        return true
      },
    })
    await expect(ingest(here, documents('first'))).rejects.toThrow('disk full')
    expect(await ingest(here, documents('second', 1))).toEqual({ ingested: 1, skipped: 0 })
    expect(await bodies()).toEqual({ first: COUNT - 1, second: 1 })
    expect(await written()).toBe(0)
  })
})

describe('items of a sync run', () => {
  it('are stored in parts while other requests wait, each with its own work and the last one marked', async () => {
    const seen: { items: number; ingested: number; isLast: boolean }[] = []
    const given = Array.from({ length: COUNT }, (_, n) => newItem(n, { body: 'text' }))
    const all = await instance().items.write(
      organization.id,
      given,
      async (_tx, { items, counts, isLast }) => {
        seen.push({ items: items.length, ingested: counts.ingested, isLast })
      },
    )
    expect(all).toEqual({ ingested: COUNT, skipped: 0 })
    expect(seen.length).toBeGreaterThanOrEqual(COUNT / STEP_ITEMS)
    expect(seen.map(({ isLast }) => isLast)).toEqual(seen.map((_, n) => n === seen.length - 1))
    expect(seen.reduce((sum, { items }) => sum + items, 0)).toBe(COUNT)
    expect(seen.every(({ items, ingested }) => items === ingested && items <= STEP_ITEMS)).toBe(true)
    expect(await transactions()).toHaveLength(seen.length)
  })
})
