import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createFakeProvider, type FakeProvider } from '../../test/support/fake-provider.ts'
import { insertOrganization } from '../../test/support/organizations.ts'
import { startSyncBench, type SyncBench } from '../../test/support/sync.ts'
import type { Caller } from '../kernel/caller.ts'
import type { ItemFailure, ProviderAdapter } from '../providers/index.ts'
import { listSkipped } from './list-skipped.ts'
import type { SkippedItem } from './schemas.ts'

let bench: SyncBench
let provider: FakeProvider
let failures: ItemFailure[]
let skipped: ItemFailure[]
let deletions: string[]

beforeEach(async () => {
  bench = await startSyncBench()
  provider = createFakeProvider()
  failures = []
  skipped = []
  deletions = []
})
afterEach(() => bench.close())

/** The provider's items, with these additional failures and deletions. */
const adapter = (): ProviderAdapter => ({
  ...provider.adapter,
  async *listChanges(session, input) {
    for await (const page of provider.adapter.listChanges(session, input))
      yield { ...page, failures, skipped, deletions: [...page.deletions, ...deletions] }
  },
})

async function sync(sourceId: string, fullResync = false): Promise<void> {
  await bench.queue(sourceId, fullResync)
  await bench.worker(adapter()).settle()
  bench.now += 60_000
}

const callerOf = (organizationId: string): Caller => ({
  kind: 'console',
  organizationId,
  userId: randomUUID(),
  role: 'owner',
  allowedProviders: null,
})

async function skippedOf(sourceId: string): Promise<SkippedItem[]> {
  return (await listSkipped(bench.db, callerOf(bench.organization.id), sourceId)).skippedItems
}

describe('the skipped items of a source', () => {
  it('has the latest reason of each item, until a run stores it', async () => {
    const sourceId = await bench.connect()
    failures = [{ externalId: 'doc-1', message: 'The file is larger than 25 MiB and is not read' }]
    await sync(sourceId)
    failures = [
      { externalId: 'doc-1', message: 'The file is encrypted' },
      { externalId: 'doc-2', message: 'No access' },
    ]
    await sync(sourceId)
    expect(
      (await skippedOf(sourceId)).map(({ externalId, reason, isStored }) => [externalId, reason, isStored]),
    ).toEqual([
      ['doc-1', 'The file is encrypted', false],
      ['doc-2', 'No access', false],
    ])
    failures = []
    provider.put('doc-1', 'Now it can be read.')
    await sync(sourceId)
    expect((await skippedOf(sourceId)).map(({ externalId }) => externalId)).toEqual(['doc-2'])
  })

  it('lists items with nothing to read, which the run does not count as failed', async () => {
    const sourceId = await bench.connect()
    skipped = [{ externalId: 'photo', title: 'photo.gif', message: 'files of type image/gif are not read' }]
    failures = [{ externalId: 'doc-1', message: 'No access' }]
    await sync(sourceId)
    expect((await skippedOf(sourceId)).map(({ externalId, title }) => [externalId, title])).toEqual([
      ['doc-1', null],
      ['photo', 'photo.gif'],
    ])
    const run = await bench.db.selectFrom('sync_runs').selectAll().executeTakeFirstOrThrow()
    expect([run.status, run.items_failed]).toEqual(['succeeded', 1])
  })

  it('says that an older version is stored', async () => {
    const sourceId = await bench.connect()
    provider.put('doc-1', 'The first version.')
    await sync(sourceId)
    failures = [{ externalId: 'doc-1', message: 'The file is encrypted' }]
    await sync(sourceId)
    const { title } = await bench.db.selectFrom('source_items').select('title').executeTakeFirstOrThrow()
    expect(title).not.toBe('')
    expect(await skippedOf(sourceId)).toMatchObject([{ externalId: 'doc-1', title, isStored: true }])
  })

  it('drops what its provider has deleted since, but not what has nothing to read again', async () => {
    const sourceId = await bench.connect()
    failures = [{ externalId: 'doc-1', message: 'The file is encrypted' }]
    skipped = [{ externalId: 'photo', message: 'files of type image/gif are not read' }]
    await sync(sourceId)
    failures = []
    deletions = ['doc-1', 'photo']
    await sync(sourceId)
    expect((await skippedOf(sourceId)).map(({ externalId }) => externalId)).toEqual(['photo'])
    skipped = []
    deletions = ['photo']
    await sync(sourceId)
    expect(await skippedOf(sourceId)).toEqual([])
  })

  it('drops what a later full sync did not report', async () => {
    const sourceId = await bench.connect()
    failures = [{ externalId: 'gone', message: 'No access' }]
    await sync(sourceId)
    failures = []
    await sync(sourceId, true)
    expect(await skippedOf(sourceId)).toEqual([])
  })

  it('is counted for its source when a run ends, until nothing is left', async () => {
    const sourceId = await bench.connect()
    const counted = async () =>
      (
        await bench.db
          .selectFrom('sources')
          .select('items_skipped')
          .where('id', '=', sourceId)
          .executeTakeFirstOrThrow()
      ).items_skipped
    expect(await counted()).toBeNull()
    skipped = [{ externalId: 'photo', message: 'files of type image/gif are not read' }]
    failures = [{ externalId: 'doc-1', message: 'No access' }]
    await sync(sourceId)
    await sync(sourceId)
    expect(await counted()).toBe(2)
    failures = []
    skipped = []
    provider.put('doc-1', 'Now it can be read.')
    await sync(sourceId)
    expect(await counted()).toBe(1)
    await sync(sourceId, true)
    expect(await counted()).toBe(0)
  })

  it('is only of its own source and organization', async () => {
    const [sourceId, other] = [await bench.connect(), await bench.connect()]
    failures = [{ externalId: 'doc-1', message: 'No access' }]
    await sync(sourceId)
    expect(await skippedOf(other)).toEqual([])
    const stranger = await insertOrganization(bench.db)
    await expect(listSkipped(bench.db, callerOf(stranger.id), sourceId)).rejects.toMatchObject({
      code: 'not_found',
    })
  })
})
