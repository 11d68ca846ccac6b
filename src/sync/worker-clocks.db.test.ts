import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { measureClockLag } from '../background/index.ts'
import { HOUR_MS } from '../kernel/clock.ts'
import { ProviderError } from '../providers/index.ts'
import { createFakeProvider, type FakeProvider } from '../../test/support/fake-provider.ts'
import { startSyncBench, SYNC_INTERVAL_MS, type SyncBench } from '../../test/support/sync.ts'

let bench: SyncBench
let provider: FakeProvider

beforeEach(async () => {
  bench = await startSyncBench()
  provider = createFakeProvider()
})
afterEach(() => bench.close())

/** Workers on servers whose clocks are hours apart. */
const workers = () => [0, HOUR_MS, -HOUR_MS].map((skewMs) => bench.worker(provider.adapter, { skewMs }))

describe('servers whose clocks differ', () => {
  it('poll a source once per interval', async () => {
    await bench.queue(await bench.connect())
    const pool = workers()
    const start = bench.now
    while (bench.now < start + SYNC_INTERVAL_MS * 2.5) {
      for (const worker of pool) await worker.settle()
      bench.now += 60_000
    }
    expect(provider.asked).toHaveLength(3)
  })

  it('take a run that waits for its provider when the wait ends', async () => {
    const runId = await bench.queue(await bench.connect())
    provider.beforePage = () => {
      throw new ProviderError('rate_limited', 'slow down', { retryAfterMs: HOUR_MS / 2 })
    }
    const pool = workers()
    for (const worker of pool) await worker.settle()
    expect(await bench.run(runId)).toMatchObject({ not_before: new Date(bench.now + HOUR_MS / 2) })
    expect(provider.asked).toHaveLength(1)
  })
})

it('the measured lag of a server behind its database is under an hour on one machine', async () => {
  expect(Math.abs(await measureClockLag(bench.db))).toBeLessThan(HOUR_MS)
})
