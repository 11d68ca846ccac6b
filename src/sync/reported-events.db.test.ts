import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createFakeProvider, type FakeProvider } from '../../test/support/fake-provider.ts'
import { startSyncBench, SYNC_INTERVAL_MS, type SyncBench } from '../../test/support/sync.ts'
import { ProviderError } from '../providers/index.ts'
import { failSource } from '../sources/index.ts'

let bench: SyncBench
let provider: FakeProvider
let sourceId: string

beforeEach(async () => {
  bench = await startSyncBench()
  provider = createFakeProvider('notion')
  sourceId = await bench.connect()
  await bench.db
    .insertInto('outgoing_webhooks')
    .values({
      organization_id: bench.organization.id,
      id: crypto.randomUUID(),
      url: 'https://hooks.example.com/',
      status: 'active',
      secret_ciphertext: Buffer.alloc(1),
      created_at: new Date(bench.now),
      updated_at: new Date(bench.now),
    })
    .execute()
})
afterEach(() => bench.close())

/** The webhook events since the last call. */
async function told(): Promise<{ type: string; data: Record<string, unknown> }[]> {
  const rows = await bench.db.deleteFrom('webhook_deliveries').returning('payload').execute()
  return rows
    .map(({ payload }) => JSON.parse(payload))
    .toSorted((a, b) => String(b.type).localeCompare(String(a.type)))
}

async function run(): Promise<string> {
  const id = await bench.queue(sourceId)
  await bench.worker(provider.adapter).settle()
  bench.now += SYNC_INTERVAL_MS / 2
  return id
}

describe('a source', () => {
  it('emits events when it first works, stops working and works again, and when each run ends [TELL-6]', async () => {
    provider.put('doc', 'Words.')
    const source = {
      organizationId: bench.organization.id,
      sourceId,
      provider: 'notion',
      displayName: 'Test notion',
    }
    const first = await run()
    expect(await told()).toMatchObject([
      {
        type: 'sync_run.finished',
        data: {
          syncRunId: first,
          sourceId,
          provider: 'notion',
          status: 'succeeded',
          fullResync: false,
          itemsDiscovered: 1,
          itemsIngested: 1,
          itemsDeleted: 0,
        },
      },
      { type: 'source.active', data: { ...source, previousStatus: 'pending' } },
    ])
    await run()
    expect(await told()).toMatchObject([{ type: 'sync_run.finished' }])
    const message = 'The provider is away'
    for (const expected of [[{ type: 'source.error', data: { ...source, errorMessage: message } }], []]) {
      provider.beforePage = () => {
        throw new ProviderError('unavailable', message)
      }
      await run()
      const events = await told()
      expect(events[0]).toMatchObject({ type: 'sync_run.finished', data: { status: 'failed' } })
      expect(events.slice(1)).toMatchObject(expected)
    }
    provider.beforePage = () => {}
    await run()
    expect(await told()).toMatchObject([
      { type: 'sync_run.finished', data: { status: 'succeeded' } },
      { type: 'source.active', data: { ...source, previousStatus: 'error' } },
    ])
  })

  it('emits nothing for a pause [TELL-6]', async () => {
    const paused = await bench.connect('notion', { status: 'disabled' })
    const ref = { organizationId: bench.organization.id, sourceId: paused }
    await bench.db
      .transaction()
      .execute((tx) => failSource(tx, ref, 'The grant has ended', new Date(bench.now)))
    expect(await told()).toEqual([])
  })
})
