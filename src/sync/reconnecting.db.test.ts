import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ProviderError } from '../providers/index.ts'
import { createFakeProvider, type FakeProvider } from '../../test/support/fake-provider.ts'
import { startSyncBench, type SyncBench } from '../../test/support/sync.ts'
import { queueRun } from './queue-runs.ts'

let bench: SyncBench
let provider: FakeProvider

beforeEach(async () => {
  bench = await startSyncBench()
  provider = createFakeProvider()
})
afterEach(() => bench.close())

/** Changes a source as reconnecting its account would. */
async function reconnect(sourceId: string): Promise<void> {
  const at = new Date(bench.now)
  await bench.db
    .updateTable('sources')
    .set({ status: 'pending', error_message: null, next_poll_at: null, updated_at: at })
    .where('id', '=', sourceId)
    .execute()
  const run = { organizationId: bench.organization.id, sourceId, fullResync: false, at }
  const queued = await bench.db.transaction().execute((tx) => queueRun(tx, run))
  expect(queued).toBeUndefined()
}

/** Refuses the grant `times` times, and calls `meanwhile` each time. */
function refuse(times: number, meanwhile: () => Promise<unknown>): void {
  let left = times
  provider.beforePage = async () => {
    if (left-- <= 0) return
    await meanwhile()
    throw new ProviderError('auth', 'token_revoked')
  }
}

describe('an account that is reconnected while its run fails for the old grant', () => {
  it('is tried at once with the new grant', async () => {
    provider.put('doc', 'Words.')
    const sourceId = await bench.connect()
    const runId = await bench.queue(sourceId)
    refuse(1, () => reconnect(sourceId))
    await bench.worker(provider.adapter).settle()
    expect(provider.asked).toHaveLength(2)
    expect((await bench.run(runId)).status).toBe('succeeded')
    expect((await bench.source(sourceId)).status).toBe('active')
  })

  it('fails when the new grant is refused too', async () => {
    const sourceId = await bench.connect()
    await bench.queue(sourceId)
    let connected = false
    refuse(9, async () => {
      if (!connected) await reconnect(sourceId)
      connected = true
    })
    await bench.worker(provider.adapter).settle()
    expect(provider.asked).toHaveLength(2)
    expect(await bench.source(sourceId)).toMatchObject({ status: 'error', error_message: 'token_revoked' })
  })
})

it('a source disconnected by its provider meanwhile fails at once', async () => {
  const sourceId = await bench.connect()
  await bench.queue(sourceId)
  refuse(9, () =>
    bench.db
      .updateTable('sources')
      .set({ status: 'error', error_message: 'app_uninstalled', updated_at: new Date(bench.now) })
      .where('id', '=', sourceId)
      .execute(),
  )
  await bench.worker(provider.adapter).settle()
  expect(provider.asked).toHaveLength(1)
  expect(await bench.source(sourceId)).toMatchObject({ status: 'error', error_message: 'token_revoked' })
})
