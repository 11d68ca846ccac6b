import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createModelRegistry } from '../models/index.ts'
import { createItems, type Items } from '../items/index.ts'
import { ProviderError } from '../providers/index.ts'
import { createFakeProvider, type FakeProvider } from '../../test/support/fake-provider.ts'
import { hashEmbeddingModel } from '../../test/support/hash-embedding-model.ts'
import { startSyncBench, SYNC_INTERVAL_MS, type SyncBench } from '../../test/support/sync.ts'
import { until } from '../../test/support/until.ts'

let bench: SyncBench
let provider: FakeProvider

beforeEach(async () => {
  bench = await startSyncBench()
  provider = createFakeProvider()
})
afterEach(() => bench.close())

const fill = (count: number, of = provider): Record<string, string> => {
  const ids = Array.from({ length: count }, (_, n) => `doc-${String(n).padStart(3, '0')}`)
  for (const id of ids) of.put(id, `The body of ${id}.`)
  return Object.fromEntries(ids.map((id) => [id, `The body of ${id}.`]))
}

describe('a sync run', () => {
  it('stores everything, counts it, and makes its source active [SYNC-5, SYNC-8]', async () => {
    const expected = fill(12)
    const sourceId = await bench.connect()
    const runId = await bench.queue(sourceId)
    await bench.worker(provider.adapter).settle()
    expect(await bench.stored(sourceId)).toEqual(expected)
    expect(await bench.run(runId)).toMatchObject({
      status: 'succeeded',
      items_discovered: 12,
      items_ingested: 12,
      items_deleted: 0,
      error_message: null,
      lease_id: null,
    })
    expect(await bench.source(sourceId)).toMatchObject({
      status: 'active',
      error_message: null,
      last_synced_at: new Date(bench.now),
    })
  })

  it('stores only changes the next time, and removes what was deleted [SYNC-8, SYNC-9]', async () => {
    fill(12)
    const sourceId = await bench.connect()
    await bench.queue(sourceId)
    const worker = bench.worker(provider.adapter)
    await worker.settle()
    provider.put('doc-003', 'Other words.')
    provider.remove('doc-004')
    const runId = await bench.queue(sourceId)
    await worker.settle()
    expect(await bench.run(runId)).toMatchObject({ items_discovered: 2, items_ingested: 1, items_deleted: 1 })
    const stored = await bench.stored(sourceId)
    expect(stored['doc-003']).toBe('Other words.')
    expect(Object.keys(stored)).toHaveLength(11)
  })

  it('with a full resync removes what the provider no longer has, but never a pushed document [SYNC-11, SYNC-19]', async () => {
    fill(12)
    const sourceId = await bench.connect()
    await bench.queue(sourceId)
    const worker = bench.worker(provider.adapter)
    await worker.settle()
    const pushed = { ...newItem(sourceId), externalId: 'pushed' }
    await writerOf().write(bench.organization.id, [pushed])
    // Deleted without an event in the feed.
    const before = provider.asked.length
    provider.remove('doc-007')
    provider.expireCursors()
    const runId = await bench.queue(sourceId, true)
    await worker.settle()
    expect(provider.asked[before]?.cursor).toBeNull()
    expect(await bench.run(runId)).toMatchObject({
      status: 'succeeded',
      items_deleted: 1,
      items_discovered: 11,
      items_ingested: 11,
    })
    const stored = await bench.stored(sourceId)
    expect(stored).not.toHaveProperty('doc-007')
    expect(stored).toHaveProperty('pushed')
  })

  it('with a full resync recreates chunks and vectors, and changes only syncedAt of unchanged items [SYNC-11]', async () => {
    fill(3)
    const sourceId = await bench.connect()
    await bench.queue(sourceId)
    const worker = bench.worker(provider.adapter)
    await worker.settle()
    await bench.db.updateTable('chunks').set({ content: 'left by an older version' }).execute()
    const firstAt = new Date(bench.now)
    bench.now += 60_000
    const ran = async (fullResync: boolean) => {
      const runId = await bench.queue(sourceId, fullResync)
      await worker.settle()
      return await bench.run(runId)
    }
    const times = async () => {
      const items = await bench.db.selectFrom('source_items').select(['synced_at', 'updated_at']).execute()
      return items.map((item) => [item.synced_at, item.updated_at])
    }
    expect(await ran(false)).toMatchObject({ items_discovered: 0 })
    expect(await times()).toEqual([0, 1, 2].map(() => [firstAt, firstAt]))
    expect(await ran(true)).toMatchObject({ items_discovered: 3, items_ingested: 3 })
    expect(await times()).toEqual([0, 1, 2].map(() => [new Date(bench.now), firstAt]))
    const chunks = await bench.db.selectFrom('chunks').select('content').execute()
    expect(chunks).toHaveLength(3)
    expect(chunks.every(({ content }) => !content.includes('older version'))).toBe(true)
    const vectors = await bench.db.selectFrom('chunk_embeddings').select('position').execute()
    expect(vectors).toHaveLength(3)
  })

  it('becomes a full resync when the provider rejects the cursor [SYNC-23]', async () => {
    fill(7)
    const sourceId = await bench.connect()
    await bench.queue(sourceId)
    const worker = bench.worker(provider.adapter)
    await worker.settle()
    provider.remove('doc-002')
    provider.expireCursors()
    const runId = await bench.queue(sourceId)
    await worker.settle()
    expect(await bench.run(runId)).toMatchObject({ status: 'succeeded', full_resync: true, items_deleted: 1 })
  })

  it("fails with the provider's message, resumes from its cursor at the next poll, and is active again [SYNC-6, SYNC-10]", async () => {
    const expected = fill(20)
    const sourceId = await bench.connect()
    await bench.queue(sourceId)
    const worker = bench.worker(provider.adapter)
    provider.beforePage = (page) => {
      if (page === 2) throw new ProviderError('unavailable', 'Our hamsters are tired (503)')
    }
    await worker.settle()
    expect(await bench.source(sourceId)).toMatchObject({
      status: 'error',
      error_message: 'Our hamsters are tired (503)',
    })
    expect(await bench.newestRun(sourceId)).toMatchObject({
      status: 'failed',
      items_ingested: 10,
      error_message: 'Our hamsters are tired (503)',
    })
    provider.beforePage = () => {}
    bench.now += SYNC_INTERVAL_MS * 1.1
    await worker.settle()
    expect(await bench.source(sourceId)).toMatchObject({ status: 'active', error_message: null })
    expect(await bench.newestRun(sourceId)).toMatchObject({ status: 'succeeded', items_ingested: 10 })
    expect(await bench.stored(sourceId)).toEqual(expected)
  })

  it("is polled through an hour's outage, and catches up [SYNC-18]", async () => {
    const sourceId = await bench.connect()
    await bench.queue(sourceId)
    const worker = bench.worker(provider.adapter)
    await worker.settle()
    provider.beforePage = () => {
      throw new ProviderError('unavailable', '503 Service Unavailable')
    }
    const expected = fill(6)
    const start = bench.now
    while (bench.now < start + 3_600_000) {
      bench.now += 60_000
      await worker.settle()
    }
    const runs = await bench.db.selectFrom('sync_runs').select('status').execute()
    expect(runs.filter(({ status }) => status === 'failed').length).toBeGreaterThanOrEqual(3)
    expect((await bench.source(sourceId)).status).toBe('error')
    provider.beforePage = () => {}
    bench.now += SYNC_INTERVAL_MS * 1.1
    await worker.settle()
    expect(await bench.stored(sourceId)).toEqual(expected)
    expect((await bench.source(sourceId)).status).toBe('active')
  })

  it('never reveals internal errors [SYNC-10]', async () => {
    fill(3)
    const sourceId = await bench.connect()
    await bench.queue(sourceId)
    provider.beforePage = () => {
      throw new TypeError('secret of line 12')
    }
    await bench.worker(provider.adapter).settle()
    expect((await bench.newestRun(sourceId)).error_message).toMatch(/inside the service/)
  })

  it('waits out a long rate limit in the queue instead of failing, and resumes from its cursor [SYNC-15]', async () => {
    const expected = fill(20)
    const sourceId = await bench.connect()
    const runId = await bench.queue(sourceId)
    const worker = bench.worker(provider.adapter)
    let storms = 3
    provider.beforePage = (page) => {
      if (page === 1 && storms-- > 0)
        throw new ProviderError('rate_limited', 'ratelimited', { retryAfterMs: 3_600_000 })
    }
    await worker.settle()
    expect(await bench.run(runId)).toMatchObject({ status: 'queued', items_ingested: 5 })
    for (let storm = 0; storm < 3; storm++) {
      bench.now += 3_600_001
      await worker.settle()
    }
    expect(await bench.run(runId)).toMatchObject({ status: 'succeeded', items_ingested: 20 })
    expect(await bench.stored(sourceId)).toEqual(expected)
  })

  it("with a revoked grant ends at once with the provider's message, and is not polled every quarter of an hour [SYNC-17]", async () => {
    const sourceId = await bench.connect()
    await bench.queue(sourceId)
    provider.beforePage = () => {
      throw new ProviderError('auth', 'token_revoked')
    }
    const worker = bench.worker(provider.adapter)
    await worker.settle()
    expect(await bench.source(sourceId)).toMatchObject({ status: 'error', error_message: 'token_revoked' })
    bench.now += 3_600_000
    await worker.settle()
    expect(provider.asked).toHaveLength(1)
  })

  it('ends when its source is paused, and stays paused [SYNC-7]', async () => {
    fill(20)
    const sourceId = await bench.connect()
    const runId = await bench.queue(sourceId)
    provider.beforePage = async (page) => {
      if (page !== 2) return
      await bench.db.updateTable('sources').set({ status: 'disabled' }).where('id', '=', sourceId).execute()
    }
    const worker = bench.worker(provider.adapter)
    await worker.settle()
    expect(await bench.run(runId)).toMatchObject({ status: 'failed', items_ingested: 10 })
    expect((await bench.source(sourceId)).status).toBe('disabled')
    bench.now += SYNC_INTERVAL_MS * 2
    await worker.settle()
    expect(provider.asked).toHaveLength(1)
  })

  it('disappears when its source is removed', async () => {
    fill(20)
    const sourceId = await bench.connect()
    await bench.queue(sourceId)
    provider.beforePage = async (page) => {
      if (page === 2) await bench.db.deleteFrom('sources').where('id', '=', sourceId).execute()
    }
    await bench.worker(provider.adapter).settle()
    expect(bench.errors).toEqual([])
    expect(await bench.stored(sourceId)).toEqual({})
    expect(await bench.db.selectFrom('sync_runs').selectAll().execute()).toEqual([])
  })
})

describe('a worker that dies', () => {
  it('leaves its run to another worker, which stores every item exactly once, wherever the first died [SYNC-4]', async () => {
    const expected = fill(100)
    const sourceId = await bench.connect()
    const runId = await bench.queue(sourceId)
    for (let death = 0; death < 8; death++) {
      const dying = dyingWriter(1 + (death % 3), death % 2 === 0)
      await bench.worker(provider.adapter, { items: dying }).settle()
      expect((await bench.run(runId)).status).toBe('running')
      await bench.expireLeases()
    }
    await bench.worker(provider.adapter).settle()
    expect(await bench.run(runId)).toMatchObject({ status: 'succeeded', items_ingested: 100 })
    expect(await bench.stored(sourceId)).toEqual(expected)
    expect((await bench.source(sourceId)).status).toBe('active')
  })

  it("keeps its run until its lease expires, whatever other workers' clocks say", async () => {
    fill(10)
    const sourceId = await bench.connect()
    const runId = await bench.queue(sourceId)
    await bench.worker(provider.adapter, { items: dyingWriter(1, true) }).settle()
    const { lease_id: leaseId } = await bench.run(runId)
    await bench.worker(provider.adapter, { skewMs: 3_600_000 }).settle()
    await bench.worker(provider.adapter, { skewMs: -3_600_000 }).settle()
    expect(await bench.run(runId)).toMatchObject({ status: 'running', lease_id: leaseId })
  })

  it('is not followed forever by others when a run kills every worker', async () => {
    fill(3)
    const sourceId = await bench.connect()
    const runId = await bench.queue(sourceId)
    for (let death = 0; death < 10; death++) {
      await bench.worker(provider.adapter, { items: dyingWriter(1, false) }).settle()
      await bench.expireLeases()
    }
    await bench.worker(provider.adapter).settle()
    expect(await bench.run(runId)).toMatchObject({
      status: 'failed',
      error_message: expect.stringMatching(/was stopped: 10 workers/),
    })
  })
})

describe('workers that run side by side', () => {
  it('never work on the same run [SYNC-21]', async () => {
    fill(10)
    const sources = await Promise.all(Array.from({ length: 6 }, () => bench.connect()))
    for (const sourceId of sources) await bench.queue(sourceId)
    await Promise.all([bench.worker(provider.adapter).settle(), bench.worker(provider.adapter).settle()])
    expect(provider.asked).toHaveLength(6)
    const runs = await bench.db.selectFrom('sync_runs').select('status').execute()
    expect(runs.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 'succeeded'))
  })

  it('write nothing once another worker holds their lease [SYNC-21]', async () => {
    fill(20)
    const sourceId = await bench.connect()
    const runId = await bench.queue(sourceId)
    provider.beforePage = async (page) => {
      if (page !== 2) return
      const lease = { lease_id: '00000000-0000-4000-8000-000000000001' }
      await bench.db.updateTable('sync_runs').set(lease).where('id', '=', runId).execute()
    }
    await bench.worker(provider.adapter).settle()
    expect(Object.keys(await bench.stored(sourceId))).toHaveLength(10)
    expect(await bench.run(runId)).toMatchObject({ status: 'running', items_ingested: 10 })
  })

  it('continue with twenty sources while one hangs [SYNC-22]', async () => {
    const stuck = createFakeProvider()
    stuck.put('never', 'read')
    stuck.beforePage = () => new Promise(() => {})
    fill(3)
    const stuckId = await bench.connect()
    const others = await Promise.all(Array.from({ length: 20 }, () => bench.connect()))
    const adapters = Object.fromEntries(others.map((id) => [id, provider.adapter]))
    await bench.queue(stuckId)
    for (const id of others) await bench.queue(id)
    const worker = bench.worker({ ...adapters, [stuckId]: stuck.adapter }, { concurrency: 2 })
    worker.start()
    await untilSucceeded(20)
    expect((await bench.newestRun(stuckId)).status).toBe('running')
    await worker.stop()
  })

  it('release their runs when stopped, so that others resume them at once [SYNC-20]', async () => {
    const expected = fill(20)
    const sourceId = await bench.connect()
    const runId = await bench.queue(sourceId)
    const reached = Promise.withResolvers<void>()
    provider.beforePage = (page) => {
      if (page !== 2) return
      reached.resolve()
      return new Promise(() => {})
    }
    const worker = bench.worker(provider.adapter)
    worker.start()
    await reached.promise
    await worker.stop()
    expect(await bench.run(runId)).toMatchObject({ status: 'queued', lease_id: null, items_ingested: 10 })
    provider.beforePage = () => {}
    await bench.worker(provider.adapter).settle()
    expect(await bench.run(runId)).toMatchObject({ status: 'succeeded', items_ingested: 20 })
    expect(await bench.stored(sourceId)).toEqual(expected)
  })
})

function writerOf(): Pick<Items, 'write'> {
  const models = createModelRegistry({
    configured: hashEmbeddingModel(),
    builtin: async () => hashEmbeddingModel(),
  })
  return createItems({ db: bench.db, models, clock: { now: () => new Date(bench.now) } })
}

/** Dies on the n-th page: with its transaction open, or just after the commit. The lease is not released. */
function dyingWriter(pages: number, isStored: boolean): Pick<Items, 'write'> {
  const writer = writerOf()
  let written = 0
  return {
    write: async (organizationId, items, within, how) => {
      written += 1
      if (written < pages) return await writer.write(organizationId, items, within, how)
      await writer.write(
        organizationId,
        items,
        async (tx, counts, changes) => {
          await within?.(tx, counts, changes)
          if (!isStored) throw new DeadWorker()
        },
        how,
      )
      throw new DeadWorker()
    },
  }
}

/** The error that the worker gets when the database ends the connection (admin_shutdown). */
class DeadWorker extends Error {
  readonly code = '57P01'
}

async function untilSucceeded(count: number): Promise<void> {
  await until(
    'the end of the runs',
    () => bench.db.selectFrom('sync_runs').select('id').where('status', '=', 'succeeded').execute(),
    (runs) => runs.length === count,
  )
}

const newItem = (sourceId: string) => ({
  sourceId,
  provider: 'notion' as const,
  sourceKind: 'document' as const,
  externalId: 'x',
  title: 'Pushed',
  body: 'A pushed document.',
  url: null,
  authorName: null,
  sourceCreatedAt: null,
  sourceUpdatedAt: null,
  metadata: {},
})
