import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createFakeProvider, type FakeProvider } from '../../test/support/fake-provider.ts'
import { hashEmbeddingModel } from '../../test/support/hash-embedding-model.ts'
import { startSyncBench, type SyncBench } from '../../test/support/sync.ts'
import { createModelRegistry } from '../models/index.ts'
import { createItems, createJournaledIngests, type Items } from '../items/index.ts'

/** They fit into one page and are stored in several parts. */
const COUNT = 150

let bench: SyncBench
let provider: FakeProvider

beforeEach(async () => {
  bench = await startSyncBench()
  provider = createFakeProvider('notion', { pageSize: COUNT })
  for (let n = 0; n < COUNT; n++) provider.put(`doc-${n}`, `Words of ${n}.`)
})
afterEach(() => bench.close())

/** The error that a worker gets when the database ends its connection (admin_shutdown). */
class DeadWorker extends Error {
  readonly code = '57P01'
}

/**
 * Stores a page in parts, as if another request always waited for the database. @param diesIn the number of the part
 * in which it dies
 */
function writer(diesIn?: number): Pick<Items, 'write'> & { parts: number } {
  const model = hashEmbeddingModel()
  const models = createModelRegistry({ configured: model, builtin: async () => model })
  const deps = { db: bench.db, models, clock: { now: () => new Date(bench.now) } }
  const onError = (error: unknown): void => void bench.errors.push(error)
  const journaled = createJournaledIngests({ ...deps, isAwaited: () => true, onError })
  const items = createItems({ ...deps, journaled })
  const counting = {
    parts: 0,
    write: (...[organizationId, given, within, how]: Parameters<Items['write']>) =>
      items.write(
        organizationId,
        given,
        async (tx, part, changes) => {
          await within?.(tx, part, changes)
          counting.parts += 1
          if (counting.parts === diesIn) throw new DeadWorker()
        },
        how,
      ),
  }
  return counting
}

const claims = async (): Promise<number> =>
  (await bench.db.selectFrom('synced_items').select('external_id').execute()).length

describe('a page that is stored in parts', () => {
  it('counts and claims each item, and ends its run with the last part', async () => {
    const sourceId = await bench.connect()
    const runId = await bench.queue(sourceId)
    const items = writer()
    await bench.worker(provider.adapter, { items }).settle()
    expect(items.parts).toBeGreaterThan(3)
    expect(await bench.run(runId)).toMatchObject({ status: 'succeeded', items_ingested: COUNT })
    expect([Object.keys(await bench.stored(sourceId)).length, await claims()]).toEqual([COUNT, COUNT])
  })

  it('is resumed by the next worker after one dies between two parts, and counts each item once [SYNC-4]', async () => {
    const sourceId = await bench.connect()
    const runId = await bench.queue(sourceId)
    await bench.worker(provider.adapter, { items: writer(3) }).settle()
    const { length } = Object.keys(await bench.stored(sourceId))
    expect(length).toBeGreaterThan(0)
    expect(length).toBeLessThan(COUNT)
    expect([await claims(), (await bench.run(runId)).items_ingested]).toEqual([length, length])
    await bench.expireLeases()
    await bench.worker(provider.adapter, { items: writer() }).settle()
    expect(await bench.run(runId)).toMatchObject({
      status: 'succeeded',
      items_discovered: COUNT,
      items_ingested: COUNT,
    })
    expect([Object.keys(await bench.stored(sourceId)).length, await claims()]).toEqual([COUNT, COUNT])
  })

  it('of a full resync counts each item once too, wherever a worker dies [SYNC-11]', async () => {
    const sourceId = await bench.connect()
    await bench.queue(sourceId)
    await bench.worker(provider.adapter, { items: writer() }).settle()
    bench.now += 60_000
    const runId = await bench.queue(sourceId, true)
    const dying = writer(3)
    const write: Items['write'] = async (...given) => {
      bench.now += 1_000
      return await dying.write(...given)
    }
    const worker = bench.worker(provider.adapter, { items: { write } })
    await worker.settle()
    const { items_ingested: counted } = await bench.run(runId)
    expect(counted).toBeGreaterThan(0)
    expect(counted).toBeLessThan(COUNT)
    await bench.expireLeases()
    await bench.worker(provider.adapter, { items: writer() }).settle()
    expect(await bench.run(runId)).toMatchObject({ status: 'succeeded', items_ingested: COUNT })
  })
})
