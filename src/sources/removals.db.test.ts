import { randomUUID } from 'node:crypto'
import { dropActiveRuns } from '../sync/index.ts'
import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { untilOneWaits } from '../../test/support/lock-waits.ts'
import { createFakeProvider } from '../../test/support/fake-provider.ts'
import { hashEmbeddingModel } from '../../test/support/hash-embedding-model.ts'
import { testItem } from '../../test/support/items.ts'
import { startSyncBench, type SyncBench } from '../../test/support/sync.ts'
import { checkConnectorLimit } from '../billing/index.ts'
import type { Db } from '../database/database.ts'
import { createModelRegistry } from '../models/index.ts'
import { createItems, type Items } from '../items/index.ts'
import { cleanItem } from '../items/item.ts'
import { createRetrieveContext } from '../context/index.ts'
import { createRetrieval } from '../retrieval/index.ts'
import { createSyncRuns } from '../sync/index.ts'
import { changeItems } from '../item-changes/index.ts'
import { createRemovals, createSources, type Removals } from './index.ts'
import { until } from '../../test/support/until.ts'
import { testTerms } from '../../test/support/term-weights.ts'

let bench: SyncBench
let items: Items
const model = hashEmbeddingModel()
const models = createModelRegistry({ configured: model, builtin: async () => model })
const clock = { now: () => new Date(bench.now) }

beforeEach(async () => {
  bench = await startSyncBench()
  items = createItems({ db: bench.db, models, clock })
})
afterEach(() => bench.close())

/** These tests allow no background errors. */
function onError(error: unknown): never {
  throw error
}

const removalsOf = (db: Db): Removals => createRemovals({ db, clock, endRuns: dropActiveRuns, onError })

const sourcesWith = (removals: Removals, options: { removalWaitMs?: number } = {}) =>
  createSources({
    ...options,
    db: bench.db,
    clock,
    channels: { list: async () => [] },
    disconnect: { prepare: async () => {}, run: async () => {} },
    removals,
  })

/** Removes a source and simulates the immediate death of the process: nothing is deleted yet. */
async function removeAndDie(sourceId: string) {
  const removals = removalsOf(bench.db)
  await removals.stop()
  return await sourcesWith(removals).remove(bench.organization.caller(), sourceId)
}

async function push(sourceId: string, count: number, prefix = 'page'): Promise<void> {
  const documents = Array.from({ length: count }, (_, n) =>
    cleanItem(
      testItem(bench.organization, { sourceId, externalId: `${prefix}-${n}`, body: `common word${n}` }),
    ),
  )
  await items.ingest(bench.organization.caller(), documents, randomUUID())
}

const hits = async () => {
  const { search } = createRetrieval({ db: bench.db, models, clock, terms: testTerms })
  return (await search(bench.organization.caller(), { query: 'common', limit: 10, filter: {} })).hits
}

const rowsOf = async (sourceId: string) => {
  const stored = await bench.db
    .selectFrom('source_items')
    .select('id')
    .where('source_id', '=', sourceId)
    .execute()
  const rows = await bench.db.selectFrom('sources').select('id').where('id', '=', sourceId).execute()
  return { items: stored.length, sources: rows.length }
}

describe('a removed source that is not deleted yet', () => {
  it('is hidden with everything in it, while other sources stay visible', async () => {
    const sourceId = await bench.connect('notion', { status: 'active' })
    await push(sourceId, 3)
    await push(bench.organization.sourceIds.notion, 1, 'other')
    const found = (await hits()).map(({ sourceItemId }) => sourceItemId)
    expect(found).toHaveLength(4)
    expect(await removeAndDie(sourceId)).toMatchObject({ id: sourceId, status: 'active', sourceItemCount: 3 })
    expect(await rowsOf(sourceId)).toEqual({ items: 3, sources: 1 })

    const caller = bench.organization.caller()
    const left = await hits()
    expect(left.map(({ title }) => title)).toEqual(['other-0'])
    const sources = sourcesWith(removalsOf(bench.db))
    expect((await sources.list(caller)).map(({ id }) => id)).not.toContain(sourceId)
    const isUnknown = { code: 'not_found' }
    for (const id of found.filter((one) => one !== left[0]?.sourceItemId)) {
      await expect(items.get(caller, id)).rejects.toMatchObject(isUnknown)
      await expect(items.remove(caller, { id })).rejects.toMatchObject(isUnknown)
    }
    await expect(push(sourceId, 1)).rejects.toMatchObject(isUnknown)
    await expect(sources.change(caller, sourceId, { status: 'active' })).rejects.toMatchObject(isUnknown)
    await expect(sources.remove(caller, sourceId)).rejects.toMatchObject(isUnknown)
    const runs = createSyncRuns({ db: bench.db, clock, requireOffered: () => {}, onQueued: () => {} })
    await expect(runs.request(caller, { connectorId: sourceId, fullResync: false })).rejects.toMatchObject(
      isUnknown,
    )
    const deps = { db: bench.db, models, clock, terms: testTerms }
    const context = await createRetrieveContext({ ...deps, search: createRetrieval(deps).search })(
      caller,
      { query: 'common', limit: 10, filter: {} },
      { requestId: randomUUID(), path: '/v1/context' },
    )
    expect(context).toMatchObject({ hits: [{ title: 'other-0' }], limitations: [] })
  })

  it('accepts no document that was being embedded during the removal', async () => {
    const sourceId = await bench.connect('notion', { status: 'active' })
    const removing = createModelRegistry({
      configured: {
        ...model,
        async embedDocuments(documents, signal) {
          await removeAndDie(sourceId)
          return await model.embedDocuments(documents, signal)
        },
      },
      builtin: async () => model,
    })
    items = createItems({ db: bench.db, models: removing, clock })
    await expect(push(sourceId, 2)).rejects.toMatchObject({ code: 'not_found', details: { index: 0 } })
    expect(await rowsOf(sourceId)).toEqual({ items: 0, sources: 1 })
  })

  it.runIf(process.env.TEST_DRIVER === 'postgres')(
    'deletes what a concurrent write still adds, and notifies every in-memory snapshot',
    async () => {
      const { notion: sourceId } = bench.organization.sourceIds
      const organizationId = bench.organization.id
      await push(sourceId, 1)
      const late = randomUUID()
      const [written, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const writing = changeItems(bench.db, organizationId, async (tx, changes) => {
        await sql`
          insert into source_items
          select (jsonb_populate_record(i, jsonb_build_object('id', ${late}::text, 'external_id', 'late'))).*
          from source_items i where i.organization_id = ${organizationId} and i.source_id = ${sourceId}`.execute(
          tx,
        )
        changes.add([late])
        written.resolve()
        await mayEnd.promise
      })
      await written.promise
      const removals = removalsOf(bench.db)
      const source = { organizationId, sourceId }
      await changeItems(bench.db, organizationId, (tx, changes) => removals.mark(tx, changes, source))
      const finishing = removals.finish(source)
      await untilOneWaits(bench.db)
      mayEnd.resolve()
      await Promise.all([writing, finishing])
      expect(await rowsOf(sourceId)).toEqual({ items: 0, sources: 0 })
      const told = await bench.db
        .selectFrom('item_changes')
        .select('revision')
        .where('organization_id', '=', organizationId)
        .where('item_ids', 'like', `%${late}%`)
        .execute()
      expect(told).toHaveLength(2)
    },
  )

  it('loses its run, which stores nothing more, and is not polled', async () => {
    const provider = createFakeProvider()
    for (let n = 0; n < 12; n++) provider.put(`doc-${String(n).padStart(2, '0')}`, `body ${n}`)
    const sourceId = await bench.connect()
    await bench.queue(sourceId)
    provider.beforePage = async (page) => {
      if (page === 1) await removeAndDie(sourceId)
    }
    const worker = bench.worker(provider.adapter)
    await worker.settle()
    bench.now += 24 * 3_600_000
    await worker.settle()
    expect(await rowsOf(sourceId)).toEqual({ items: 5, sources: 1 })
    expect(await bench.db.selectFrom('sync_runs').select('id').execute()).toEqual([])
    expect(provider.asked).toHaveLength(1)
  })

  it('frees its account and its place in the plan for a new source', async () => {
    const account = { external_account_id: 'T1', status: 'active' } as const
    const sourceId = await bench.connect('slack', account)
    await bench.connect('notion')
    const { id: organizationId } = bench.organization
    const placesUsed = () =>
      bench.db
        .transaction()
        .execute((tx) => checkConnectorLimit(tx, organizationId))
        .catch((error: unknown) => error)
    expect(await placesUsed()).toMatchObject({ details: { used: 2 } })
    await removeAndDie(sourceId)
    expect(await placesUsed()).toBeUndefined()
    const again = await bench.connect('slack', account)
    const listed = await sourcesWith(removalsOf(bench.db)).list(bench.organization.caller())
    expect(listed.map(({ id }) => id)).toContain(again)
  })

  it('is deleted by the next process that starts, with all its items, and other removed sources too', async () => {
    const first = await bench.connect('notion', { status: 'active' })
    const second = await bench.connect('notion', { status: 'active' })
    await push(first, 250)
    await push(second, 1, 'second')
    await push(bench.organization.sourceIds.notion, 1, 'other')
    await removeAndDie(first)
    await removeAndDie(second)
    const removals = removalsOf(bench.db)
    removals.start()
    await until(
      'the end of what both sources brought',
      async () => [await rowsOf(first), await rowsOf(second)],
      (left) => left.every((rows) => rows.items + rows.sources === 0),
    )
    await removals.stop()
    expect(await rowsOf(first)).toEqual({ items: 0, sources: 0 })
    const contents = await bench.db.selectFrom('chunk_embeddings').select('source_item_id').execute()
    expect(contents).toHaveLength(1)
  })
})

describe('the removal of a source', () => {
  it('has deleted everything when it returns, and records the counts', async () => {
    const provider = createFakeProvider()
    for (let n = 0; n < 120; n++) provider.put(`doc-${n}`, `body ${n}`)
    const sourceId = await bench.connect()
    await bench.queue(sourceId)
    await bench.worker(provider.adapter).settle()
    await push(sourceId, 5, 'pushed')
    const removals = removalsOf(bench.db)
    await sourcesWith(removals).remove(bench.organization.caller(), sourceId)
    expect(await rowsOf(sourceId)).toEqual({ items: 0, sources: 0 })
    for (const table of ['synced_items', 'chunks', 'chunk_embeddings', 'sync_runs'] as const)
      expect(await bench.db.selectFrom(table).selectAll().execute(), table).toEqual([])
    const events = await bench.db
      .selectFrom('audit_events')
      .select('metadata')
      .where('action', '=', 'source.delete')
      .execute()
    expect(events).toEqual([{ metadata: { provider: 'notion', itemCount: 125 } }])
  })

  it('answers before the request times out, however long the deletion takes', async () => {
    const sourceId = await bench.connect('notion', { status: 'active' })
    const removals = { ...removalsOf(bench.db), finish: () => new Promise<void>(() => {}) }
    const sources = sourcesWith(removals, { removalWaitMs: 10 })
    const caller = bench.organization.caller()
    expect(await sources.remove(caller, sourceId)).toMatchObject({ id: sourceId })
    expect((await sources.list(caller)).map(({ id }) => id)).not.toContain(sourceId)
  })

  it('lets other work run between its batches', async () => {
    const sourceId = await bench.connect('notion', { status: 'active' })
    await push(sourceId, 350)
    const removals = removalsOf(bench.db)
    const removed = sourcesWith(removals).remove(bench.organization.caller(), sourceId)
    const counts = new Set<number>()
    for (let left = 350; left > 0; left = (await rowsOf(sourceId)).items) {
      counts.add(left)
      await setImmediate()
    }
    await removed
    expect(counts.size).toBeGreaterThan(2)
  })

  it('first hands over what another account also has, and stops between batches with the process', async () => {
    const accounts = [createFakeProvider(), createFakeProvider()] as const
    for (let n = 0; n < 150; n++) accounts[0].put(`a-${String(n).padStart(3, '0')}`, `hers ${n}`)
    for (const account of accounts) account.put('z-shared', 'common words')
    const [hers, his] = [await bench.connect(), await bench.connect()]
    const worker = bench.worker({ [hers]: accounts[0].adapter, [his]: accounts[1].adapter })
    for (const id of [his, hers]) {
      await bench.queue(id)
      await worker.settle()
    }
    await removeAndDie(hers)
    expect(await hits()).toEqual([])
    // Each batch reads the clock once: the process stops during the second.
    let batches = 0
    const now = (): Date => {
      batches += 1
      if (batches === 2) void removals.stop()
      return clock.now()
    }
    const removals = createRemovals({ endRuns: dropActiveRuns, db: bench.db, clock: { now }, onError })
    await removals.finish({ organizationId: bench.organization.id, sourceId: hers })
    expect(await bench.stored(his)).toEqual({ 'z-shared': 'common words' })
    expect(await rowsOf(hers)).toEqual({ items: 50, sources: 1 })
    expect((await hits()).map(({ content }) => content)).toEqual(['common words'])
  })
})
