import { createDatabaseClock } from '../background/index.ts'
import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  type ChangePage,
  DEFAULT_PROVIDER_LIMITS,
  type ProviderAdapter,
  type ProviderSession,
} from '../providers/index.ts'
import { createItems } from '../items/index.ts'
import { createModelRegistry } from '../models/index.ts'
import { hashEmbeddingModel } from '../../test/support/hash-embedding-model.ts'
import { startSyncBench, type SyncBench } from '../../test/support/sync.ts'
import { createPermissionPoller } from './permission-poller.ts'
import { schedulePermissionPoll } from './schedule.ts'

let bench: SyncBench

beforeEach(async () => {
  bench = await startSyncBench()
})
afterEach(() => bench.close())

const policyOf = (user: string) => ({ visibility: 'private' as const, users: [user] })

/** A drive with one file. `reading` runs between a poll's read of the file's permissions and their storing. */
function createDrive(reading: () => Promise<void>) {
  const drive = { reader: 'ada@example.com', polls: 0, adapter: adapterOf() }
  function adapterOf(): ProviderAdapter {
    return {
      provider: 'google_drive',
      connect: () => Promise.reject(new Error('not used')),
      listChanges: () => pagesOf(drive.reader),
      listPermissions,
    }
  }
  async function* listPermissions(): ReturnType<NonNullable<ProviderAdapter['listPermissions']>> {
    drive.polls += 1
    // Its position is before the change in the first poll only.
    if (drive.polls > 1) return { groupIds: null, needsRun: false }
    const accessPolicy = policyOf(drive.reader)
    await reading()
    yield { groups: [], policies: [{ externalId: 'plan', accessPolicy }] }
    return { groupIds: null, needsRun: false }
  }
  return drive
}

async function* pagesOf(reader: string): AsyncGenerator<ChangePage> {
  yield {
    upserts: [
      {
        externalId: 'plan',
        sourceKind: 'file',
        title: 'Plan',
        body: 'The plan.',
        url: null,
        authorName: null,
        sourceCreatedAt: null,
        sourceUpdatedAt: null,
        metadata: { accessPolicy: policyOf(reader) },
      },
    ],
    deletions: [],
    failures: [],
    discovered: 1,
    cursor: reader,
    complete: true,
    snapshot: null,
  }
}

function pollerFor(adapter: ProviderAdapter) {
  const { db } = bench
  const clock = { now: () => new Date(bench.now) }
  const models = createModelRegistry({
    configured: hashEmbeddingModel(),
    builtin: async () => hashEmbeddingModel(),
  })
  return createPermissionPoller({
    db,
    clock: createDatabaseClock(clock, async () => 0),
    items: createItems({ db, models, clock }),
    random: () => 0.5,
    providers: ['google_drive'],
    openSource: async ({ externalAccountId }, { signal, wait }) => {
      const session: ProviderSession = {
        accessToken: async () => 'token',
        account: { externalAccountId, displayName: 'Test' },
        extra: {},
        signal,
        clock,
        wait,
        random: () => 0.5,
        limits: DEFAULT_PROVIDER_LIMITS,
        storedIds: async () => [],
      }
      return { adapter, session }
    },
    wait: async () => {},
    onError: (error) => bench.errors.push(error),
  })
}

async function storedPolicy(): Promise<unknown> {
  const { metadata } = await bench.db.selectFrom('source_items').select('metadata').executeTakeFirstOrThrow()
  return metadata['accessPolicy']
}

async function sync(sourceId: string, adapter: ProviderAdapter): Promise<void> {
  await bench.queue(sourceId)
  await bench.worker(adapter).settle()
}

/** Polls a minute later. */
async function poll(sourceId: string, adapter: ProviderAdapter): Promise<void> {
  bench.now += 60_000
  const source = { organizationId: bench.organization.id, sourceId }
  await schedulePermissionPoll(bench.db, source, new Date(bench.now))
  await pollerFor(adapter).settle()
}

it('a poll keeps the readers that a run has stored since the poll began', async () => {
  const drive = createDrive(async () => {
    // The file is unshared from ada after the poll read it, and a run stores that first.
    drive.reader = 'bob@example.com'
    bench.now += 1_000
    await sync(sourceId, drive.adapter)
  })
  const sourceId = await bench.connect('google_drive')
  await sync(sourceId, drive.adapter)
  expect(await storedPolicy()).toEqual(policyOf('ada@example.com'))
  await poll(sourceId, drive.adapter)
  expect(await storedPolicy()).toEqual(policyOf('bob@example.com'))
  // The run's end requested another poll, from the run's position.
  expect(drive.polls).toBe(2)
  expect(bench.errors).toEqual([])
})

it('a poll stores the readers of an item that runs read before it', async () => {
  const drive = createDrive(async () => {})
  const sourceId = await bench.connect('google_drive')
  await sync(sourceId, drive.adapter)
  drive.reader = 'bob@example.com'
  await poll(sourceId, drive.adapter)
  expect(await storedPolicy()).toEqual(policyOf('bob@example.com'))
  expect(bench.errors).toEqual([])
})

it('a poll stores the readers of an item that a wrong clock dated in the future', async () => {
  const drive = createDrive(async () => {})
  const sourceId = await bench.connect('google_drive')
  await sync(sourceId, drive.adapter)
  await bench.db
    .updateTable('source_items')
    .set({ synced_at: new Date(bench.now + 3_600_000) })
    .where('source_id', '=', sourceId)
    .execute()
  drive.reader = 'bob@example.com'
  await poll(sourceId, drive.adapter)
  expect(await storedPolicy()).toEqual(policyOf('bob@example.com'))
})
