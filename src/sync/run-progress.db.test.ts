import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MINUTE_MS } from '../kernel/clock.ts'
import type { ProviderAdapter, ProviderItem } from '../providers/index.ts'
import { createFakeProvider, type FakeProvider } from '../../test/support/fake-provider.ts'
import { startSyncBench, type SyncBench } from '../../test/support/sync.ts'

const STOPPED = expect.stringMatching(/stopped: an hour of reading found nothing new/)

let bench: SyncBench
let provider: FakeProvider

beforeEach(async () => {
  bench = await startSyncBench()
  provider = createFakeProvider()
})
afterEach(() => bench.close())

const pause = () => new Promise((resolve) => setTimeout(resolve, 10))

/** Yields the same two pages endlessly, and takes minutes for each. */
function circling(): ProviderAdapter {
  const item: ProviderItem = {
    externalId: 'doc',
    sourceKind: 'document',
    title: 'Title',
    body: 'Words.',
    url: null,
    authorName: null,
    sourceCreatedAt: null,
    sourceUpdatedAt: null,
    metadata: {},
  }
  return {
    ...provider.adapter,
    async *listChanges() {
      for (let page = 0; ; page++) {
        bench.now += 5 * MINUTE_MS
        await pause()
        yield {
          upserts: [item],
          deletions: [],
          failures: [],
          discovered: 1,
          cursor: { page: page % 2 },
          complete: false,
          snapshot: null,
        }
      }
    },
  }
}

describe('a run', () => {
  it('that receives the same pages again and again fails after an hour', async () => {
    const sourceId = await bench.connect()
    const runId = await bench.queue(sourceId)
    const start = bench.now
    await bench.worker(circling(), { progressLookMs: 1 }).settle()
    expect(await bench.run(runId)).toMatchObject({
      status: 'failed',
      error_message: STOPPED,
      items_ingested: 1,
    })
    expect((await bench.source(sourceId)).status).toBe('error')
    expect(bench.now - start).toBeGreaterThan(60 * MINUTE_MS)
    expect(bench.now - start).toBeLessThan(120 * MINUTE_MS)
  })

  it('that waits for an answer that never comes fails after an hour', async () => {
    const runId = await bench.queue(await bench.connect())
    provider.beforePage = () => {
      setTimeout(() => {
        bench.now += 61 * MINUTE_MS
      }, 20)
      return new Promise(() => {})
    }
    await bench.worker(provider.adapter, { progressLookMs: 1 }).settle()
    expect(await bench.run(runId)).toMatchObject({ status: 'failed', error_message: STOPPED })
  })

  it('may take any time while it makes progress, not counting waits for its provider', async () => {
    for (let n = 0; n < 30; n++) provider.put(`doc-${n}`, 'Words.')
    const runId = await bench.queue(await bench.connect())
    provider.beforePage = async (_, session) => {
      bench.now += 50 * MINUTE_MS
      await pause()
      await session.wait(9 * MINUTE_MS)
      await session.wait(9 * MINUTE_MS)
      await pause()
    }
    await bench.worker(provider.adapter, { progressLookMs: 1 }).settle()
    expect(await bench.run(runId)).toMatchObject({ status: 'succeeded', items_ingested: 30 })
  })
})
