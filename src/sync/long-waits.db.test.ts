import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DAY_MS, HOUR_MS } from '../kernel/clock.ts'
import { ProviderError } from '../providers/index.ts'
import { createFakeProvider, type FakeProvider } from '../../test/support/fake-provider.ts'
import { startSyncBench, type SyncBench } from '../../test/support/sync.ts'

let bench: SyncBench
let provider: FakeProvider

beforeEach(async () => {
  bench = await startSyncBench()
  provider = createFakeProvider()
  for (let n = 0; n < 12; n++) provider.put(`doc-${n}`, 'Words.')
})
afterEach(() => bench.close())

const limitedFor = (retryAfterMs: number) => () => {
  throw new ProviderError('rate_limited', 'Too many requests, says the provider', { retryAfterMs })
}

describe('a run whose provider asks for a wait of more than ten minutes', () => {
  it('waits in the queue, even before its first page, and then resumes', async () => {
    const sourceId = await bench.connect()
    const runId = await bench.queue(sourceId)
    provider.beforePage = limitedFor(HOUR_MS)
    const worker = bench.worker(provider.adapter)
    await worker.settle()
    expect(await bench.run(runId)).toMatchObject({ status: 'queued', error_message: null, takes: 0 })
    expect((await bench.source(sourceId)).status).toBe('pending')
    bench.now += HOUR_MS - 1
    await worker.settle()
    expect(provider.asked).toHaveLength(1)
    provider.beforePage = () => {}
    bench.now += 1
    await worker.settle()
    expect(await bench.run(runId)).toMatchObject({ status: 'succeeded', items_ingested: 12 })
  })

  it("fails with the provider's message after a day of only waiting, and is retried after the wait", async () => {
    const sourceId = await bench.connect()
    const runId = await bench.queue(sourceId)
    provider.beforePage = limitedFor(HOUR_MS)
    const worker = bench.worker(provider.adapter)
    await worker.settle()
    const start = bench.now
    while ((await bench.run(runId)).status === 'queued') {
      bench.now += HOUR_MS
      await worker.settle()
    }
    expect((bench.now - start) / HOUR_MS).toBe(24)
    expect(await bench.run(runId)).toMatchObject({ status: 'failed' })
    expect(await bench.source(sourceId)).toMatchObject({
      status: 'error',
      error_message: 'Too many requests, says the provider',
      next_poll_at: new Date(bench.now + HOUR_MS),
    })
    provider.beforePage = () => {}
    bench.now += HOUR_MS
    await worker.settle()
    expect((await bench.source(sourceId)).status).toBe('active')
  })

  it('continues as long as each attempt stores a page', async () => {
    for (let n = 12; n < 200; n++) provider.put(`doc-${n}`, 'Words.')
    const runId = await bench.queue(await bench.connect())
    provider.beforePage = (page) => {
      if (page === 1) limitedFor(HOUR_MS)()
    }
    const worker = bench.worker(provider.adapter)
    await worker.settle()
    let polls = 0
    for (; (await bench.run(runId)).status === 'queued'; polls++) {
      bench.now += HOUR_MS
      await worker.settle()
    }
    expect(polls).toBeGreaterThan(24)
    expect((await bench.run(runId)).status).toBe('succeeded')
  })

  it('counts the day from its last page, also when an attempt stores none', async () => {
    for (let n = 12; n < 200; n++) provider.put(`doc-${n}`, 'Words.')
    const runId = await bench.queue(await bench.connect())
    const worker = bench.worker(provider.adapter)
    const waitFrom = async (page: number, hours: number) => {
      provider.beforePage = (at) => {
        if (at === page) limitedFor(HOUR_MS)()
      }
      for (let hour = 0; hour < hours; hour++) {
        await worker.settle()
        bench.now += HOUR_MS
      }
    }
    await waitFrom(1, 30)
    await waitFrom(0, 20)
    expect((await bench.run(runId)).status).toBe('queued')
    await waitFrom(1, 1)
    await waitFrom(0, 20)
    expect((await bench.run(runId)).status).toBe('queued')
    await waitFrom(0, 5)
    expect((await bench.run(runId)).status).toBe('failed')
  })

  it('fails at once when the wait exceeds a day, and is not retried earlier', async () => {
    const sourceId = await bench.connect()
    await bench.queue(sourceId)
    provider.beforePage = limitedFor(48 * HOUR_MS)
    await bench.worker(provider.adapter).settle()
    expect(await bench.source(sourceId)).toMatchObject({
      status: 'error',
      next_poll_at: new Date(bench.now + 48 * HOUR_MS),
    })
  })
})

it.each([1e300, 365 * DAY_MS])(
  'a source is polled again within a week, also when its provider names %d ms',
  async (ms) => {
    const sourceId = await bench.connect()
    await bench.queue(sourceId)
    provider.beforePage = limitedFor(ms)
    await bench.worker(provider.adapter).settle()
    expect(await bench.source(sourceId)).toMatchObject({
      status: 'error',
      next_poll_at: new Date(bench.now + 7 * DAY_MS),
    })
  },
)

describe('a run that waits for its provider while a worker holds it', () => {
  it.each([
    { ms: 30_000, what: 'is shown until the run continues', isShown: true },
    { ms: 3_000, what: 'shows nothing of a wait that is over in seconds', isShown: false },
  ])('$what', async ({ ms, isShown }) => {
    const runId = await bench.queue(await bench.connect())
    provider.beforePage = (page, session) => (page === 0 ? session.wait(ms) : undefined)
    const shown: (Date | null)[] = []
    const until = new Date(bench.now + ms)
    const sleep = async () => {
      shown.push((await bench.run(runId)).not_before)
    }
    await bench.worker(provider.adapter, { sleep }).settle()
    expect(shown).toEqual([isShown ? until : null])
    expect(await bench.run(runId)).toMatchObject({ status: 'succeeded', not_before: null })
  })
})
