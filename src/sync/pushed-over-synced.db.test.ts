import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createFakeProvider, type FakeProvider } from '../../test/support/fake-provider.ts'
import { hashEmbeddingModel } from '../../test/support/hash-embedding-model.ts'
import { testItem } from '../../test/support/items.ts'
import { startSyncBench, type SyncBench } from '../../test/support/sync.ts'
import { createModelRegistry } from '../models/index.ts'
import { createItems, type Items } from '../items/index.ts'
import { cleanItem } from '../items/item.ts'
import type { SyncWorker } from './sync-worker.ts'

let bench: SyncBench
let provider: FakeProvider
let other: FakeProvider
let sourceId: string
let otherId: string
let worker: SyncWorker
let items: Items

beforeEach(async () => {
  bench = await startSyncBench()
  provider = createFakeProvider()
  other = createFakeProvider()
  sourceId = await bench.connect()
  otherId = await bench.connect()
  worker = bench.worker({ [sourceId]: provider.adapter, [otherId]: other.adapter })
  const model = hashEmbeddingModel()
  const models = createModelRegistry({ configured: model, builtin: async () => model })
  items = createItems({ db: bench.db, models, clock: { now: () => new Date(bench.now) } })
})
afterEach(() => bench.close())

async function sync(id: string, fullResync = false): Promise<void> {
  await bench.queue(id, fullResync)
  await worker.settle()
}

const push = (values: { sourceId: string; externalId: string; title?: string; body: string }) =>
  items.ingest(bench.organization.caller(), [cleanItem(testItem(bench.organization, values))], randomUUID())

describe('a document pushed over a synced one', () => {
  it('into another connected source survives the full resync of either', async () => {
    provider.put('x', 'synced')
    other.put('y', 'synced')
    await sync(sourceId)
    await sync(otherId)
    await push({ sourceId: otherId, externalId: 'x', body: 'pushed' })
    await sync(otherId, true)
    expect(await bench.stored(otherId)).toEqual({ x: 'pushed', y: 'synced' })
    provider.remove('x')
    await sync(sourceId, true)
    expect(await bench.stored(otherId)).toEqual({ x: 'pushed', y: 'synced' })
  })

  it('into the same source stays when the provider deletes its own', async () => {
    provider.put('x', 'synced')
    await sync(sourceId)
    await push({ sourceId, externalId: 'x', body: 'pushed' })
    provider.remove('x')
    await sync(sourceId)
    expect(await bench.stored(sourceId)).toEqual({ x: 'pushed' })
  })

  it('counts as pushed although its content is the same and it is skipped', async () => {
    provider.put('x', 'the same')
    await sync(sourceId)
    const same = { sourceId, externalId: 'x', title: 'Title of x', body: 'the same' }
    expect(await push(same)).toEqual({ ingested: 0, skipped: 1 })
    provider.remove('x')
    await sync(sourceId)
    expect(await bench.stored(sourceId)).toEqual({ x: 'the same' })
  })

  it('belongs to the provider again once a run reads it again', async () => {
    provider.put('x', 'synced')
    await sync(sourceId)
    await push({ sourceId, externalId: 'x', body: 'pushed' })
    provider.put('x', 'synced anew')
    await sync(sourceId)
    expect(await bench.stored(sourceId)).toEqual({ x: 'synced anew' })
    provider.remove('x')
    await sync(sourceId)
    expect(await bench.stored(sourceId)).toEqual({})
  })
})

describe('a synced item that a caller deletes', () => {
  it('is deleted, and returns when a run reads it again', async () => {
    provider.put('x', 'synced')
    await sync(sourceId)
    await items.remove(bench.organization.caller(), { provider: 'notion', externalId: 'x' })
    await sync(sourceId)
    expect(await bench.stored(sourceId)).toEqual({})
    expect(await bench.db.selectFrom('synced_items').selectAll().execute()).toEqual([])
    await sync(sourceId, true)
    expect(await bench.stored(sourceId)).toEqual({ x: 'synced' })
  })
})
