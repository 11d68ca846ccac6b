import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createFakeProvider, type FakeProvider } from '../../test/support/fake-provider.ts'
import { startSyncBench, type SyncBench } from '../../test/support/sync.ts'
import { until } from '../../test/support/until.ts'

let bench: SyncBench
let stuck: FakeProvider
let provider: FakeProvider

beforeEach(async () => {
  bench = await startSyncBench()
  stuck = createFakeProvider('slack')
  provider = createFakeProvider('gmail')
  provider.put('mail', 'Words.')
})
afterEach(() => bench.close())

/** Queues sources of a stuck provider before one of another provider. */
async function queueBehind(count: number) {
  const stuckIds: string[] = []
  for (let n = 0; n < count; n++) stuckIds.push(await bench.connect('slack'))
  for (const id of stuckIds) await bench.queue(id)
  bench.now += 1
  const sourceId = await bench.connect('gmail')
  const runId = await bench.queue(sourceId)
  const adapters = Object.fromEntries(stuckIds.map((id) => [id, stuck.adapter]))
  return { runId, adapters: { ...adapters, [sourceId]: provider.adapter } }
}

async function untilSucceeded(runId: string): Promise<void> {
  await until(
    'the end of the run',
    () => bench.run(runId),
    ({ status }) => status === 'succeeded',
  )
}

const running = async () => {
  const runs = bench.db.selectFrom('sync_runs').select('id').where('status', '=', 'running')
  return (await runs.execute()).length
}

describe('a provider', () => {
  it('that hangs uses at most half of the slots', async () => {
    stuck.beforePage = () => new Promise(() => {})
    const { runId, adapters } = await queueBehind(4)
    const worker = bench.worker(adapters, { concurrency: 4 })
    worker.start()
    await untilSucceeded(runId)
    expect(await running()).toBe(2)
    await worker.stop()
  })

  it('that asks to wait does not block the others, however many of its sources wait', async () => {
    stuck.beforePage = (_, session) => session.wait(60_000)
    const { runId, adapters } = await queueBehind(64)
    const never = (_: number, signal: AbortSignal) =>
      new Promise<void>((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      })
    const worker = bench.worker(adapters, { sleep: never })
    worker.start()
    await untilSucceeded(runId)
    expect(await running()).toBe(32)
    await worker.stop()
  })
})
