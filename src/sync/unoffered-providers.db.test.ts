import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createFakeProvider, type FakeProvider } from '../../test/support/fake-provider.ts'
import { startTestService } from '../../test/support/service.ts'
import { startSyncBench, type SyncBench } from '../../test/support/sync.ts'
import { acquireRun } from './run-lease.ts'
import { until } from '../../test/support/until.ts'

const REASON = 'This deployment does not offer slack: set SLACK_CLIENT_ID'
const unoffered = new Map([['slack' as const, REASON]])

let bench: SyncBench
let provider: FakeProvider

beforeEach(async () => {
  bench = await startSyncBench()
  provider = createFakeProvider('slack')
})
afterEach(() => bench.close())

describe('a source whose provider is no longer offered', () => {
  it('is in error with the reason, its waiting run failed, and syncs again once the provider is back', async () => {
    provider.put('doc', 'Words.')
    const sourceId = await bench.connect('slack')
    const runId = await bench.queue(sourceId)
    await bench.worker(provider.adapter, { unoffered }).settle()
    expect(await bench.run(runId)).toMatchObject({ status: 'failed', error_message: REASON })
    expect(await bench.source(sourceId)).toMatchObject({ status: 'error', error_message: REASON })
    await bench.worker(provider.adapter).settle()
    expect(provider.asked).toHaveLength(1)
    expect(await bench.source(sourceId)).toMatchObject({ status: 'active', error_message: null })
  })

  it('is in error without a run too, or with one whose worker died', async () => {
    const idle = await bench.connect('slack', { status: 'active' })
    const died = await bench.connect('slack')
    const runId = await bench.queue(died)
    await acquireRun(bench.db, ['slack'], new Date(bench.now))
    await bench.expireLeases()
    await bench.worker(provider.adapter, { unoffered }).settle()
    expect((await bench.source(idle)).error_message).toBe(REASON)
    expect((await bench.source(died)).error_message).toBe(REASON)
    expect(await bench.run(runId)).toMatchObject({ status: 'failed', lease_id: null })
  })

  it('is unchanged while another worker holds its run', async () => {
    const sourceId = await bench.connect('slack')
    const runId = await bench.queue(sourceId)
    await acquireRun(bench.db, ['slack'], new Date(bench.now))
    await bench.worker(provider.adapter, { unoffered }).settle()
    expect((await bench.source(sourceId)).status).toBe('pending')
    expect((await bench.run(runId)).status).toBe('running')
  })

  it('stays unchanged when paused, push-only, or of another provider', async () => {
    const paused = await bench.connect('slack', { status: 'disabled' })
    const other = await bench.connect('notion', { status: 'active' })
    await bench.worker(provider.adapter, { unoffered }).settle()
    expect((await bench.source(paused)).status).toBe('disabled')
    expect((await bench.source(other)).status).toBe('active')
    expect((await bench.source(bench.organization.sourceIds.slack)).status).toBe('active')
  })

  it('is not written to repeatedly', async () => {
    const sourceId = await bench.connect('slack')
    await bench.worker(provider.adapter, { unoffered }).settle()
    const before = await bench.source(sourceId)
    bench.now += 60_000
    await bench.worker(provider.adapter, { unoffered }).settle()
    expect(await bench.source(sourceId)).toEqual(before)
  })
})

describe("a service without any provider's settings", () => {
  it('marks every connected source at its start', async () => {
    const sourceId = await bench.connect('google_drive', { status: 'active' })
    const service = await startTestService({ database: bench.database })
    try {
      const said = await until(
        'a word about the source',
        async () => (await bench.source(sourceId)).error_message,
        (message) => message !== null,
      )
      expect(said).toMatch(/does not offer google_drive: set GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET/)
    } finally {
      await service.close()
    }
  })

  it('leaves that to the workers when it only serves requests', async () => {
    const sourceId = await bench.connect('google_drive', { status: 'active' })
    const service = await startTestService({ database: bench.database, environment: { ROLE: 'api' } })
    await service.close()
    expect((await bench.source(sourceId)).status).toBe('active')
  })
})
