import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ProviderAdapter } from '../providers/index.ts'
import { createFakeProvider, type FakeProvider } from '../../test/support/fake-provider.ts'
import { startSyncBench, type SyncBench } from '../../test/support/sync.ts'

let bench: SyncBench
let provider: FakeProvider

beforeEach(async () => {
  bench = await startSyncBench()
  provider = createFakeProvider()
})
afterEach(() => bench.close())

describe('a run with items that fail', () => {
  it('records one that cannot be stored and goes on with the others [SYNC-13]', async () => {
    for (let n = 0; n < 7; n++) provider.put(`doc-${n}`, 'Words.')
    const unstorable = Array.from({ length: 4000 }, () => Math.random().toString(36)).join('')
    provider.put(unstorable, 'Its id is longer than an index takes.')
    const sourceId = await bench.connect()
    const runId = await bench.queue(sourceId)
    await bench.worker(provider.adapter).settle()
    expect(await bench.run(runId)).toMatchObject({ status: 'succeeded', items_ingested: 7, items_failed: 1 })
    const failures = await bench.db.selectFrom('sync_run_failures').selectAll().execute()
    expect(failures.map(({ message }) => message)).toEqual([expect.stringMatching(/cannot be stored/)])
  })

  it('counts each once, however often it fails within the run, and lists the first hundred [SYNC-13]', async () => {
    const failing = (ids: number[]) =>
      ids.map((id) => ({ externalId: `doc-${String(id).padStart(3, '0')}`, message: 'unreadable' }))
    const pages = [failing([1, 2, 2]), failing([2, 3]), failing(Array.from({ length: 150 }, (_, id) => id))]
    const adapter: ProviderAdapter = {
      ...provider.adapter,
      async *listChanges() {
        const page = { upserts: [], deletions: [], discovered: 0, cursor: null, snapshot: null }
        for (const [n, failures] of pages.entries())
          yield { ...page, failures, complete: n === pages.length - 1 }
      },
    }
    const runId = await bench.queue(await bench.connect())
    await bench.worker(adapter).settle()
    expect(await bench.run(runId)).toMatchObject({ status: 'succeeded', items_failed: 150 })
    const failures = await bench.db.selectFrom('sync_run_failures').select('external_id').execute()
    expect(failures).toHaveLength(100)
  })
})
