import { changeItems } from '../item-changes/index.ts'
import { sql } from 'kysely'
import { dropActiveRuns } from './run-lease.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { workerUrls } from '../../test/support/database-setup.ts'
import { createFakeProvider, type FakeProvider } from '../../test/support/fake-provider.ts'
import { startSyncBench, type SyncBench } from '../../test/support/sync.ts'
import { openPostgres } from '../database/drivers/postgres.ts'
import { hashEmbeddingModel } from '../../test/support/hash-embedding-model.ts'
import { createItems, dropClaims, type Items } from '../items/index.ts'
import { createModelRegistry } from '../models/index.ts'
import type { AccessPolicy, ProviderAdapter } from '../providers/index.ts'
import { createRemovals, createSources, readSource } from '../sources/index.ts'
import { storedIds } from './synced-items.ts'
import type { SyncWorker } from './sync-worker.ts'

let bench: SyncBench
let ana: FakeProvider
let ben: FakeProvider
let anasId: string
let bensId: string
let worker: SyncWorker

beforeEach(async () => {
  bench = await startSyncBench()
  ana = createFakeProvider('google_drive')
  ben = createFakeProvider('google_drive')
  anasId = await bench.connect('google_drive')
  bensId = await bench.connect('google_drive')
  worker = bench.worker({ [anasId]: ana.adapter, [bensId]: ben.adapter })
})
afterEach(() => bench.close())

async function sync(sourceId: string, fullResync = false) {
  const runId = await bench.queue(sourceId, fullResync)
  await worker.settle()
  const run = await bench.run(runId)
  expect(run).toMatchObject({ status: 'succeeded', error_message: null })
  return run
}

/** The items as the workers of a bench store them. */
function itemsOf({ db }: SyncBench): Items {
  const model = hashEmbeddingModel()
  const models = createModelRegistry({ configured: model, builtin: async () => model })
  return createItems({ db, models, clock: { now: () => new Date(bench.now) } })
}

const stored = async () => ({ ana: await bench.stored(anasId), ben: await bench.stored(bensId) })

async function idsOf(sourceId: string): Promise<string[]> {
  return await storedIds(
    bench.db,
    await readSource(bench.db, { organizationId: bench.organization.id, sourceId }),
    { from: '', to: null, limit: 100 },
  )
}

const sources = () => {
  const { db } = bench
  const clock = { now: () => new Date(bench.now) }
  return createSources({
    db,
    clock,
    channels: { list: async () => [] },
    disconnect: { prepare: async () => {}, run: async () => {} },
    removals: createRemovals({
      db,
      clock,
      endRuns: dropActiveRuns,
      onError: (error) => void bench.errors.push(error),
    }),
  })
}

describe('a file that two accounts see', () => {
  it('passes to the other account when the last reader loses it, and is deleted when that one loses it too', async () => {
    for (const account of [ana, ben]) account.put('my/shared', 'shared')
    await sync(bensId)
    await sync(anasId)
    expect(await stored()).toEqual({ ana: { 'my/shared': 'shared' }, ben: {} })
    ana.remove('my/shared')
    expect(await sync(anasId)).toMatchObject({ items_deleted: 1 })
    expect(await stored()).toEqual({ ana: {}, ben: { 'my/shared': 'shared' } })
    ben.remove('my/shared')
    expect(await sync(bensId)).toMatchObject({ items_deleted: 1 })
    expect(await stored()).toEqual({ ana: {}, ben: {} })
  })

  it('is unchanged by a change of account: updated_at stays [LIST-3]', async () => {
    const changedAt = async () =>
      (await bench.db.selectFrom('source_items').select('updated_at').execute()).map((row) => row.updated_at)
    for (const account of [ana, ben]) account.put('my/shared', 'shared')
    await sync(bensId)
    const before = await changedAt()
    bench.now += 1000
    await sync(anasId)
    await sync(bensId, true)
    bench.now += 1000
    ben.remove('my/shared')
    await sync(bensId)
    expect(await stored()).toEqual({ ana: { 'my/shared': 'shared' }, ben: {} })
    expect(await changedAt()).toEqual(before)
    bench.now += 1000
    ana.put('my/shared', 'changed')
    await sync(anasId)
    expect(await changedAt()).toEqual([new Date(bench.now)])
  })

  it('stays when the account that did not read it last loses it, even in a full resync', async () => {
    for (const account of [ana, ben]) account.put('my/shared', 'shared')
    await sync(bensId)
    await sync(anasId)
    ben.remove('my/shared')
    ben.put('my/other', 'other')
    ben.expireCursors()
    expect(await sync(bensId)).toMatchObject({ full_resync: true, items_deleted: 1 })
    expect(await stored()).toEqual({ ana: { 'my/shared': 'shared' }, ben: { 'my/other': 'other' } })
  })

  it('is among the stored ids of both and counted by both, independent of the last reader', async () => {
    for (const account of [ana, ben]) account.put('my/shared', 'shared')
    ana.put('my/B', 'hers')
    ana.put('my/a', 'hers')
    await sync(anasId)
    await sync(bensId)
    expect(await idsOf(anasId)).toEqual(['my/B', 'my/a', 'my/shared'])
    expect(await idsOf(bensId)).toEqual(['my/shared'])
    const list = await sources().list(bench.organization.caller())
    const counts = new Map(list.map(({ id, sourceItemCount }) => [id, sourceItemCount]))
    expect([counts.get(anasId), counts.get(bensId)]).toEqual([3, 1])
  })

  it('stays, with its chunks, when one source is deleted, and is deleted with the other', async () => {
    for (const account of [ana, ben]) account.put('my/shared', 'shared')
    ana.put('my/hers', 'hers')
    await sync(bensId)
    await sync(anasId)
    await sources().remove(bench.organization.caller(), anasId)
    expect(await stored()).toEqual({ ana: {}, ben: { 'my/shared': 'shared' } })
    const contents = await bench.db.selectFrom('chunks').select('content').execute()
    expect(contents).toEqual([{ content: 'shared' }])
    await sources().remove(bench.organization.caller(), bensId)
    expect(await bench.db.selectFrom('source_items').select('id').execute()).toEqual([])
    expect(bench.errors).toEqual([])
  })

  it('survives a crawl of one account while the other fails to read it', async () => {
    for (let n = 0; n < 12; n++) ben.put(`doc-${String(n).padStart(2, '0')}`, `body ${n}`)
    await sync(bensId)
    const failing: ProviderAdapter = {
      ...ana.adapter,
      async *listChanges() {
        const failures = [{ externalId: 'doc-00', message: 'HTTP 500' }]
        const nothing = { upserts: [], deletions: [], cursor: 1, complete: true }
        yield { ...nothing, failures, discovered: 1, snapshot: 'crawl of ana' }
      },
    }
    ben.beforePage = async (page) => {
      if (page !== 2) return
      ben.beforePage = () => {}
      await bench.queue(anasId)
      await bench.worker({ [anasId]: failing }).settle()
    }
    expect(await sync(bensId, true)).toMatchObject({ items_deleted: 0 })
    expect(Object.keys(await bench.stored(bensId))).toHaveLength(12)
  })

  it('is deleted when both accounts lose it at once', async () => {
    const other =
      bench.database.url === null ? bench.database : await openPostgres({ url: bench.database.url })
    const names = Array.from({ length: 40 }, (_, n) => `my/${n}`)
    for (const name of names) for (const account of [ana, ben]) account.put(name, name)
    await sync(anasId)
    await sync(bensId)
    const drop = (id: string, { db }: Pick<SyncBench, 'db'>, externalIds: string[]) =>
      changeItems(db, bench.organization.id, (tx, changes) =>
        dropClaims(
          tx,
          changes,
          { organizationId: bench.organization.id, sourceId: id },
          externalIds,
          new Date(bench.now),
        ),
      )
    const dropped = await Promise.all(
      [0, 10, 20, 30].flatMap((from) => {
        const some = names.slice(from, from + 10)
        return [drop(anasId, bench, some), drop(bensId, other, some.toReversed())]
      }),
    )
    if (other !== bench.database) await other.close()
    expect(dropped).toEqual(Array.from({ length: 8 }, () => 10))
    expect(await bench.db.selectFrom('source_items').select('id').execute()).toEqual([])
  })
})

describe('the access policy of a file that two accounts see', () => {
  const policy = { visibility: 'private', permissionCount: 1 } as const

  /** The provider as seen by an account that may or may not list permissions. */
  function told({ adapter }: FakeProvider, accessPolicy: AccessPolicy | null): ProviderAdapter {
    return {
      ...adapter,
      async *listChanges(session, input) {
        for await (const page of adapter.listChanges(session, input)) {
          const metadata = accessPolicy === null ? {} : { accessPolicy }
          yield { ...page, upserts: page.upserts.map((item) => Object.assign({}, item, { metadata })) }
        }
      },
    }
  }

  const item = async () =>
    await bench.db.selectFrom('source_items').select(['source_id', 'metadata', 'body']).executeTakeFirst()

  beforeEach(() => {
    worker = bench.worker({ [anasId]: told(ana, policy), [bensId]: told(ben, null) })
    for (const account of [ana, ben]) account.put('my/shared', 'shared')
  })

  it('is not erased by an account that may not list permissions, and counts as known for both', async () => {
    await sync(anasId)
    ben.put('my/shared', 'changed')
    await sync(bensId)
    expect(await item()).toEqual({ source_id: bensId, metadata: { accessPolicy: policy }, body: 'changed' })
    for (const id of [anasId, bensId]) {
      expect((await bench.source(id)).policy_health).toMatchObject({ files: 1, filesWithoutPolicy: 0 })
    }
  })

  it('is deleted with the last account that could list it, and counts as missing from then on', async () => {
    await sync(anasId)
    await sync(bensId)
    ana.remove('my/shared')
    await sync(anasId)
    expect(await item()).toEqual({ source_id: bensId, metadata: {}, body: 'shared' })
    ben.put('my/shared', 'changed')
    await sync(bensId)
    expect((await bench.source(bensId)).policy_health).toMatchObject({ files: 1, filesWithoutPolicy: 1 })
  })

  it('returns with an account that can list it again, though nothing else changed', async () => {
    await sync(anasId)
    await sync(bensId)
    ana.remove('my/shared')
    await sync(anasId)
    ana.put('my/shared', 'shared')
    await sync(anasId)
    expect(await item()).toEqual({ source_id: anasId, metadata: { accessPolicy: policy }, body: 'shared' })
  })

  it('stays with an item that passes to an account that could list it too', async () => {
    worker = bench.worker({ [anasId]: told(ana, policy), [bensId]: told(ben, policy) })
    await sync(bensId)
    await sync(anasId)
    ana.remove('my/shared')
    await sync(anasId)
    expect(await item()).toEqual({ source_id: bensId, metadata: { accessPolicy: policy }, body: 'shared' })
  })

  it('is removed by the next read of a provider that reports only public items, although another account has not synced', async () => {
    const published = { visibility: 'public' } as const
    const [mine, theirs] = [await bench.connect('notion'), await bench.connect('notion')]
    const pages = createFakeProvider('notion')
    const readAs = (access: AccessPolicy | null) =>
      bench.worker({ [mine]: told(pages, access), [theirs]: told(pages, access) })
    pages.put('page', 'shared')
    worker = readAs(published)
    for (const id of [mine, theirs]) await sync(id)
    worker = readAs(null)
    await sync(mine, true)
    expect((await item())?.metadata).toEqual({})
  })

  it('is the newest one, even if another account reads the file while it changes', async () => {
    await sync(anasId)
    ben.put('my/shared', 'changed')
    const items = itemsOf(bench)
    const narrowed: AccessPolicy = { visibility: 'restricted', users: ['ada@example.com'] }
    let writes = 0
    worker = bench.worker(
      { [bensId]: told(ben, null) },
      {
        items: {
          async write(...given) {
            writes += 1
            if (writes === 1) {
              const source = await readSource(bench.db, {
                organizationId: bench.organization.id,
                sourceId: anasId,
              })
              bench.now += 1
              const now = new Date(bench.now)
              const read = { since: now, now, within: async () => {} }
              const change = { externalId: 'my/shared', accessPolicy: narrowed }
              expect(await items.changePolicies(source, [change], read)).toBe(1)
            }
            return await items.write(...given)
          },
        },
      },
    )
    await sync(bensId)
    expect(await item()).toEqual({
      source_id: bensId,
      metadata: { accessPolicy: narrowed },
      body: 'changed',
    })
  })

  it("is erased when the file's only account can no longer list it", async () => {
    await sync(anasId)
    worker = bench.worker({ [anasId]: told(ana, null) })
    ana.put('my/shared', 'shared')
    await sync(anasId)
    expect(await item()).toMatchObject({ metadata: {} })
  })
})

describe('removing what a full resync has not seen', () => {
  // Distributed tables have no triggers.
  it.skipIf(workerUrls().length > 0)(
    'is retried when the database aborts it as a deadlock victim',
    async () => {
      for (let n = 0; n < 12; n++) ana.put(`doc-${n}`, `body ${n}`)
      await sync(anasId)
      for (let n = 0; n < 12; n++) ana.remove(`doc-${n}`)
      ana.put('keep', 'kept')
      ana.expireCursors()
      // A sequence survives a rollback: only the first delete is a deadlock's victim.
      await sql`create sequence deletes`.execute(bench.db)
      await sql`
      create function fail_first() returns trigger language plpgsql as $$ begin
        if nextval('deletes') = 1 then raise exception using errcode = '40P01', message = 'deadlock detected'; end if;
        return null; end $$`.execute(bench.db)
      await sql`
      create trigger fail_first before delete on synced_items for each statement execute function fail_first()`.execute(
        bench.db,
      )
      expect(await sync(anasId)).toMatchObject({ full_resync: true, items_deleted: 12 })
      expect(await bench.stored(anasId)).toEqual({ keep: 'kept' })
    },
  )

  it('removes thousands of items, each once', async () => {
    const name = (n: number) => `doc-${String(n).padStart(4, '0')}`
    ana = createFakeProvider('google_drive', { pageSize: 1_500 })
    worker = bench.worker(ana.adapter)
    for (let n = 0; n < 1_500; n++) ana.put(name(n), 'words')
    await sync(anasId)
    for (let n = 0; n < 1_500; n++) if (n % 100 !== 0) ana.remove(name(n))
    ana.expireCursors()
    expect(await sync(anasId)).toMatchObject({ items_deleted: 1_485 })
    expect(await idsOf(anasId)).toEqual(Array.from({ length: 15 }, (_, n) => name(n * 100)))
  })
})
