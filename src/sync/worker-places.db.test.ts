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

const untilAborted = (_: number, signal: AbortSignal) =>
  new Promise<void>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })

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
    const worker = bench.worker(adapters, { sleep: untilAborted })
    worker.start()
    await untilSucceeded(runId)
    expect(await running()).toBe(32)
    await worker.stop()
  })

  it('that makes several requests of a run wait frees only the slot of that run', async () => {
    stuck.beforePage = async (_, session) => {
      await Promise.all([1, 2, 3, 4].map(() => session.wait(60_000)))
    }
    const waitingId = await bench.connect('slack')
    await bench.queue(waitingId)
    const ending = Promise.withResolvers<void>()
    const begun: { hasEnded: boolean }[] = []
    let hasEnded = false
    const busy = createFakeProvider('gmail')
    busy.beforePage = async () => {
      begun.push({ hasEnded })
      await ending.promise
    }
    const busyIds: string[] = []
    for (const name of ['gmail', 'notion', 'google_drive'] as const) {
      bench.now += 1
      busyIds.push(await bench.connect(name))
      await bench.queue(busyIds.at(-1) ?? '')
    }
    const adapters = Object.fromEntries(busyIds.map((id) => [id, busy.adapter]))
    const worker = bench.worker(
      { ...adapters, [waitingId]: stuck.adapter },
      { concurrency: 2, sleep: untilAborted },
    )
    worker.start()
    await until(
      'two busy runs',
      () => begun.length,
      (count) => count >= 2,
    )
    // Time for a third one to begin.
    for (let n = 0; n < 50; n += 1) await running()
    hasEnded = true
    ending.resolve()
    await until(
      'the third busy run',
      () => begun.length,
      (count) => count === 3,
    )
    expect(begun.map((one) => one.hasEnded)).toEqual([false, false, true])
    await worker.stop()
  })
})
