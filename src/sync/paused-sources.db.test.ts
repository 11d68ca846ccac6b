import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { dropActiveRuns } from './run-lease.ts'
import { ProviderError } from '../providers/index.ts'
import { createRemovals, createSources } from '../sources/index.ts'
import { createFakeProvider, type FakeProvider } from '../../test/support/fake-provider.ts'
import { startSyncBench, SYNC_INTERVAL_MS, type SyncBench } from '../../test/support/sync.ts'

let bench: SyncBench
let provider: FakeProvider

beforeEach(async () => {
  bench = await startSyncBench()
  provider = createFakeProvider()
})
afterEach(() => bench.close())

const set = async (sourceId: string, status: 'active' | 'disabled') => {
  const { db } = bench
  const clock = { now: () => new Date(bench.now) }
  const sources = createSources({
    db,
    clock,
    channels: { list: async () => [] },
    disconnect: { prepare: async () => {}, run: async () => {} },
    removals: createRemovals({
      db,
      clock,
      endRuns: dropActiveRuns,
      onError: (error) => void bench.errors.push(error),
    }),
  })
  return await sources.change(bench.organization.caller(), sourceId, { status })
}

describe('a paused source that is resumed', () => {
  it('is polled again, even when paused during its first run, and is pending until it succeeds', async () => {
    for (let n = 0; n < 12; n++) provider.put(`doc-${n}`, 'Words.')
    const sourceId = await bench.connect()
    await bench.queue(sourceId)
    provider.beforePage = async (page) => {
      if (page === 1) await set(sourceId, 'disabled')
    }
    const worker = bench.worker(provider.adapter)
    await worker.settle()
    provider.beforePage = () => {}
    expect((await set(sourceId, 'active')).status).toBe('pending')
    await worker.settle()
    expect(provider.asked).toHaveLength(2)
    expect(Object.keys(await bench.stored(sourceId))).toHaveLength(12)
    expect((await bench.source(sourceId)).status).toBe('active')
  })

  it("returns to error if it was in error, and keeps its provider's waiting time", async () => {
    const sourceId = await bench.connect()
    await bench.queue(sourceId)
    provider.beforePage = () => {
      throw new ProviderError('auth', 'token_revoked')
    }
    const worker = bench.worker(provider.adapter)
    await worker.settle()
    await set(sourceId, 'disabled')
    expect(await set(sourceId, 'active')).toMatchObject({ status: 'error', errorMessage: 'token_revoked' })
    bench.now += SYNC_INTERVAL_MS * 2
    await worker.settle()
    expect(provider.asked).toHaveLength(1)
  })

  it('is active again if it was active, even a push-only one', async () => {
    const synced = await bench.connect()
    await bench.queue(synced)
    await bench.worker(provider.adapter).settle()
    for (const sourceId of [synced, bench.organization.sourceIds.notion]) {
      expect((await set(sourceId, 'disabled')).status).toBe('disabled')
      expect((await set(sourceId, 'active')).status).toBe('active')
    }
  })

  it('counts as without events, since it accepted none meanwhile', async () => {
    const sourceId = await bench.connect('slack', { push_since: new Date(bench.now) })
    await set(sourceId, 'disabled')
    await set(sourceId, 'active')
    expect((await bench.source(sourceId)).push_since).toBeNull()
  })
})
