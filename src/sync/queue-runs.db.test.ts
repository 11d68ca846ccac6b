import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createFakeProvider, type FakeProvider } from '../../test/support/fake-provider.ts'
import { startSyncBench, SYNC_INTERVAL_MS, type SyncBench } from '../../test/support/sync.ts'
import { notePushEvent } from './push-events.ts'

let bench: SyncBench
let provider: FakeProvider

beforeEach(async () => {
  bench = await startSyncBench()
  provider = createFakeProvider()
})
afterEach(() => bench.close())

describe('polling', () => {
  it('queues due sources, but no paused or push-only ones [SYNC-3]', async () => {
    const due = new Date(bench.now - 1)
    const sourceId = await bench.connect('notion', { status: 'active', next_poll_at: due })
    await bench.connect('notion', { status: 'disabled', next_poll_at: due })
    await bench.connect('notion', { status: 'active', next_poll_at: due, push_only: true })
    await bench.connect('notion', { status: 'active', next_poll_at: new Date(bench.now + 1) })
    await bench.worker(provider.adapter).settle()
    const runs = await bench.db.selectFrom('sync_runs').select('source_id').execute()
    expect(runs).toEqual([{ source_id: sourceId }])
  })

  it('starts many due sources in batches [SYNC-2]', async () => {
    const due = new Date(bench.now - 1)
    for (let n = 0; n < 30; n++) await bench.connect('notion', { status: 'active', next_poll_at: due })
    const worker = bench.worker(provider.adapter)
    await worker.settle()
    expect(provider.asked).toHaveLength(20)
    await worker.settle()
    expect(provider.asked).toHaveLength(30)
  })

  it('follows soon after an event, passes its hints to the run, and deletes them after success [HOOK-4]', async () => {
    const sourceId = await bench.connect()
    const worker = bench.worker(provider.adapter)
    await bench.queue(sourceId)
    await worker.settle()
    const event = { organizationId: bench.organization.id, sourceId, eventId: 'Ev1', hints: [{ n: 1 }] }
    const note = () =>
      bench.db.transaction().execute((tx) => notePushEvent(tx, { ...event, at: new Date(bench.now) }))
    expect(await note()).toBe(true)
    expect(await note()).toBe(false)
    const since = new Date(bench.now)
    bench.now += 5_000
    await worker.settle()
    expect(provider.asked.at(-1)?.push).toEqual({ since, hints: [{ n: 1 }] })
    expect(await note()).toBe(false)
    bench.now += SYNC_INTERVAL_MS * 1.1
    await worker.settle()
    expect(provider.asked.at(-1)?.push).toEqual({ since, hints: [] })
  })

  it('follows at once when the allowlist changed during a run', async () => {
    const sourceId = await bench.connect('slack')
    const slack = createFakeProvider('slack')
    slack.beforePage = async () => {
      await bench.db
        .updateTable('sources')
        .set({ channel_allowlist: ['C1'] })
        .where('id', '=', sourceId)
        .execute()
    }
    const worker = bench.worker(slack.adapter)
    await bench.queue(sourceId)
    await worker.settle()
    expect(slack.asked).toHaveLength(1)
    await worker.settle()
    expect(slack.asked).toHaveLength(2)
    await worker.settle()
    expect(slack.asked).toHaveLength(2)
  })

  it('leaves runs of sources beyond the plan waiting, whatever queued them', async () => {
    const sourceId = await bench.connect('notion', { beyond_plan: true })
    const runId = await bench.queue(sourceId)
    const worker = bench.worker(createFakeProvider().adapter)
    await worker.settle()
    expect(await bench.run(runId)).toMatchObject({ status: 'queued' })
    await bench.db.updateTable('sources').set({ beyond_plan: false }).where('id', '=', sourceId).execute()
    await worker.settle()
    expect(await bench.run(runId)).toMatchObject({ status: 'succeeded' })
  })
})
