import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { hashEmbeddingModel } from '../../test/support/hash-embedding-model.ts'
import { testItem } from '../../test/support/items.ts'
import { insertOrganization, insertSource, type TestOrganization } from '../../test/support/organizations.ts'
import {
  slicedProcess,
  type SlicedProcess,
  type SlicedProcessOptions,
} from '../../test/support/sliced-process.ts'
import { until } from '../../test/support/until.ts'
import { ensureStoredModel } from '../embeddings/index.ts'
import type { EmbeddingModel } from '../inference/embedding-model.ts'
import { AppError } from '../kernel/errors.ts'
import { createRemovals } from '../sources/index.ts'
import { dropActiveRuns } from '../sync/index.ts'
import { changeOutOfTurn } from '../vector-memory/index.ts'
import type { NewItem } from './index.ts'
import { writeParts } from './ingest-journal.ts'
import { cleanItem } from './item.ts'

/** Of one chunk each: several slices. */
const COUNT = 300
/** What a slice of these takes at most. */
const SLICE_ITEMS = 48

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

/** A process that has the database. Somebody always waits, unless said. */
const instance = (options: SlicedProcessOptions = {}): SlicedProcess => slicedProcess(database.db, options)

/** The next process at the same database. */
const nextProcess = (embedding = model): SlicedProcess =>
  slicedProcess(database.db.withoutPlugins(), { embedding })

/** One that dies when so many slices are stored, each in a transaction. */
const dyingAfter = (slices: number): SlicedProcess => slicedProcess(database.db, { slices })

const newItem = (n: number, values: Partial<NewItem>): NewItem =>
  testItem(organization, { externalId: `page-${String(n).padStart(4, '0')}`, ...values })

/** Each with the values of its number. */
const documentsOf = (valuesOf: (n: number) => Partial<NewItem>, count = COUNT) =>
  Array.from({ length: count }, (_, n) => cleanItem(newItem(n, valuesOf(n))))

const documents = (body = 'text', count = COUNT) => documentsOf(() => ({ body }), count)

const ingest = ({ items }: SlicedProcess, given = documents()) =>
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

/** How many documents have which body, as they are found. */
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

/** How many items each transaction changed. */
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
  it('is stored in transactions of a slice each while others wait, counted and recorded as one', async () => {
    expect(await ingest(instance())).toEqual({ ingested: COUNT, skipped: 0 })
    const sizes = await transactions()
    expect(Math.max(...sizes)).toBeLessThanOrEqual(SLICE_ITEMS)
    expect(sizes.length).toBeGreaterThanOrEqual(COUNT / SLICE_ITEMS)
    expect(await bodies()).toEqual({ text: COUNT })
    expect(await events()).toEqual([{ metadata: { documents: COUNT, ingested: COUNT, skipped: 0 } }])
    expect(await written()).toBe(0)
  })

  it('is stored in one transaction where nobody waits', async () => {
    await ingest(instance({ isAwaited: () => false }))
    expect(await transactions()).toEqual([COUNT])
    expect(await bodies()).toEqual({ text: COUNT })
  })

  it('counts what changed, what moved and what is the same, and journals nothing of the last', async () => {
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

  it('ends the claims of runs on its documents, changed or not', async () => {
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

  it('that is refused before it is decided stores nothing and leaves nothing written', async () => {
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

  it('beside another one of the same documents: they are of the one or of the other, all of them', async () => {
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

  it('has others who change items wait for its end', async () => {
    const here = instance()
    const last = documents().at(-1)?.externalId ?? ''
    const [, small] = await Promise.all([
      ingest(here),
      someStored().then(async () => {
        // Not stored yet, and yet removed after it was: as if it had been asked for after the ingest.
        await here.items.remove(organization.caller(), { provider: 'notion', externalId: last })
        const { length } = await stored()
        const pushed = await ingest(here, documents('later', 1))
        return { length, pushed }
      }),
    ])
    expect(small).toEqual({ length: COUNT - 1, pushed: { ingested: 1, skipped: 0 } })
    expect(await bodies()).toEqual({ later: 1, text: COUNT - 2 })
  })

  it('whose source is removed meanwhile is stored, and removed with it', async () => {
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
      await changeOutOfTurn(database.db, organization.id, (tx, changes) => removals.mark(tx, changes, source))
      await removals.finish(source)
    }
    const removing = remove()
    expect(await ingest(instance())).toEqual({ ingested: COUNT, skipped: 0 })
    await removing
    expect(await stored()).toEqual([])
    await removals.stop()
  })

  it('beside which a move to another model begins goes on with the vectors of both', async () => {
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

describe('a process that dies in a large ingest', () => {
  it.each([1, 3, 5])(
    'when it is decided and %i slices are stored: the next start stores all of it, once',
    async (slices) => {
      await expect(ingest(dyingAfter(slices))).rejects.toThrow('died')
      expect(await events()).toHaveLength(1)
      const next = nextProcess()
      await next.sliced.start()
      expect(await bodies()).toEqual({ text: COUNT })
      expect(await events()).toEqual([{ metadata: { documents: COUNT, ingested: COUNT, skipped: 0 } }])
      expect([await written(), next.errors]).toEqual([0, []])
      expect(await ingest(next)).toEqual({ ingested: 0, skipped: COUNT })
      await next.sliced.stop()
    },
  )

  it('in the transaction that decides it: nothing has happened', async () => {
    await expect(ingest(dyingAfter(0), documents('long '.repeat(500)))).rejects.toThrow('died')
    expect([await stored(), await written(), await events()]).toEqual([[], 0, []])
    expect(await ingest(instance())).toEqual({ ingested: COUNT, skipped: 0 })
  })

  it('before it is decided: nothing has happened, and the next start deletes what was written', async () => {
    const ingestOf = { organizationId: organization.id, ingestId: randomUUID() }
    await writeParts(database.db, ingestOf, documents('long '.repeat(500)), () => {})
    expect(await written()).toBeGreaterThan(1)
    const next = nextProcess()
    await next.sliced.start()
    expect([await stored(), await written(), await events()]).toEqual([[], 0, []])
    await next.sliced.stop()
  })

  it('and whose source is gone at the next start: its documents went with it, the others are stored', async () => {
    const { slack } = organization.sourceIds
    const given = documentsOf((n) => (n < 200 ? { provider: 'slack', sourceId: slack } : {}))
    await expect(ingest(dyingAfter(1), given)).rejects.toThrow('died')
    await database.db.deleteFrom('source_items').where('source_id', '=', slack).execute()
    await database.db.deleteFrom('sources').where('id', '=', slack).execute()
    const next = nextProcess()
    await next.sliced.start()
    expect(await stored()).toHaveLength(100)
    expect([await written(), next.errors]).toEqual([0, []])
    await next.sliced.stop()
  })

  it('while the model is away at the next start: others wait with their changes until it is back', async () => {
    await expect(ingest(dyingAfter(1))).rejects.toThrow('died')
    let isAway = true
    const next = nextProcess({
      ...model,
      async embedDocuments(...given) {
        if (isAway) throw new AppError('upstream_error', 'away')
        return await model.embedDocuments(...given)
      },
    })
    await next.sliced.start()
    expect(next.errors).toMatchObject([{ code: 'overloaded', cause: { code: 'upstream_error' } }])
    const externalId = documents()[0]?.externalId ?? ''
    const remove = () => next.items.remove(organization.caller(), { provider: 'notion', externalId })
    await expect(remove()).rejects.toMatchObject({ code: 'overloaded', headers: { 'Retry-After': '60' } })
    isAway = false
    // Finished first: else it would bring back what is deleted now, or be lost.
    await remove()
    expect(await bodies()).toEqual({ text: COUNT - 1 })
    expect(await written()).toBe(0)
    await next.sliced.stop()
  })

  it('though the process goes on: the next change of the items comes after what was decided', async () => {
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

describe('what runs bring', () => {
  it('is stored in parts while others wait, each with what belongs to it, the last one told', async () => {
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
    expect(seen.length).toBeGreaterThanOrEqual(COUNT / SLICE_ITEMS)
    expect(seen.map(({ isLast }) => isLast)).toEqual(seen.map((_, n) => n === seen.length - 1))
    expect(seen.reduce((sum, { items }) => sum + items, 0)).toBe(COUNT)
    expect(seen.every(({ items, ingested }) => items === ingested && items <= SLICE_ITEMS)).toBe(true)
    expect(await transactions()).toHaveLength(seen.length)
  })
})
