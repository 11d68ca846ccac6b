import { createDatabaseClock } from '../background/index.ts'
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createFakeProvider, type FakeProvider } from '../../test/support/fake-provider.ts'
import { hashEmbeddingModel } from '../../test/support/hash-embedding-model.ts'
import { DEFAULT_SETTINGS } from '../../test/support/provider-harness.ts'
import { startSyncBench, type SyncBench } from '../../test/support/sync.ts'
import { createItems } from '../items/index.ts'
import { Readable, type Viewer } from '../kernel/viewer.ts'
import { createModelRegistry } from '../models/index.ts'
import { DEFAULT_PROVIDER_LIMITS, type ProviderAdapter, ProviderError } from '../providers/index.ts'
import { listSkipped } from './list-skipped.ts'
import { createItemSyncs, type ItemSync } from './sync-item.ts'

let bench: SyncBench
let provider: FakeProvider
let sourceId: string
/** Replaces the read of the item, if set. */
let fault: Error | undefined

beforeEach(async () => {
  bench = await startSyncBench()
  provider = createFakeProvider()
  fault = undefined
  provider.put('one', 'The first version.')
  provider.put('two', 'Something else.')
  sourceId = await bench.connect()
  await run()
})
afterEach(() => bench.close())

const adapter = (): ProviderAdapter => ({
  ...provider.adapter,
  async readItem(session, { externalId }) {
    if (fault) throw fault
    // Reads the fake's whole list to find the one item.
    for await (const page of provider.adapter.listChanges(session, ANEW)) {
      const upserts = page.upserts.filter((item) => item.externalId === externalId)
      if (upserts.length > 0) return { upserts, deletions: [], failures: [] }
    }
    return { upserts: [], deletions: [externalId], failures: [] }
  },
})
const ANEW = { cursor: null, settings: DEFAULT_SETTINGS }

async function run(fullResync = false, given: ProviderAdapter = adapter()): Promise<void> {
  await bench.queue(sourceId, fullResync)
  await bench.worker(given).settle()
  bench.now += 60_000
}

const viewer = (): Viewer => ({
  kind: 'console',
  organizationId: bench.organization.id,
  userId: randomUUID(),
  role: 'owner',
  allowedProviders: null,
  readable: Readable.everything,
})

const idOf = async (externalId: string): Promise<string> =>
  (
    await bench.db
      .selectFrom('source_items')
      .select('id')
      .where('external_id', '=', externalId)
      .executeTakeFirstOrThrow()
  ).id

async function sync(id: string, given: ProviderAdapter = adapter()): Promise<ItemSync> {
  const { db } = bench
  const clock = { now: () => new Date(bench.now) }
  const models = createModelRegistry({
    configured: hashEmbeddingModel(),
    builtin: async () => hashEmbeddingModel(),
  })
  const syncs = createItemSyncs({
    db,
    clock: createDatabaseClock(clock, async () => 0),
    items: createItems({ db, models, clock }),
    openAccount: async (source, signal) => ({
      adapter: given,
      session: {
        accessToken: async () => 'token',
        account: { externalAccountId: source.externalAccountId, displayName: 'Test' },
        scopes: [],
        extra: {},
        signal,
        clock,
        wait: async () => {},
        random: () => 0.5,
        limits: DEFAULT_PROVIDER_LIMITS,
        storedIds: async () => [],
      },
    }),
  })
  const result = await syncs.sync(viewer(), id, new AbortController().signal)
  bench.now += 60_000
  return result
}

const events = () =>
  bench.db
    .selectFrom('audit_events')
    .select(['target_id', 'metadata'])
    .where('action', '=', 'source_item.sync')
    .orderBy('created_at')
    .execute()

const reasons = async () =>
  (await listSkipped(bench.db, viewer(), sourceId)).skippedItems.map(({ externalId, reason }) => [
    externalId,
    reason,
  ])

describe('syncing one item again', () => {
  it('does not count the policy that only another account lists as its own', async () => {
    const otherId = await bench.connect()
    await bench.queue(otherId)
    const told: ProviderAdapter = {
      ...provider.adapter,
      async *listChanges(session, input) {
        const metadata = { accessPolicy: { visibility: 'public' as const } }
        for await (const page of provider.adapter.listChanges(session, input))
          yield { ...page, upserts: page.upserts.map((item) => Object.assign({}, item, { metadata })) }
      },
    }
    await bench.worker(told).settle()
    provider.put('one', 'The second version.')
    await run()
    const id = await idOf('one')
    expect(await sync(id)).toEqual({ outcome: 'unchanged', reason: null })
    const claims = await bench.db
      .selectFrom('synced_items')
      .select(['source_id', 'has_policy'])
      .where('source_item_id', '=', id)
      .execute()
    expect(Object.fromEntries(claims.map((claim) => [claim.source_id, claim.has_policy]))).toEqual({
      [otherId]: true,
      [sourceId]: false,
    })
  })

  it('stores what its provider has now, and records it', async () => {
    provider.put('one', 'The second version.')
    provider.put('two', 'Not asked for.')
    const id = await idOf('one')
    expect(await sync(id)).toEqual({ outcome: 'updated', reason: null })
    expect(await sync(id)).toEqual({ outcome: 'unchanged', reason: null })
    expect(await bench.stored(sourceId)).toEqual({ one: 'The second version.', two: 'Something else.' })
    const source = { provider: 'notion', connectorId: sourceId }
    expect(await events()).toEqual([
      { target_id: id, metadata: { ...source, outcome: 'updated' } },
      { target_id: id, metadata: { ...source, outcome: 'unchanged' } },
    ])
  })

  it('does not move the position of the runs: the next one reads the other changes', async () => {
    provider.put('two', 'Changed as well.')
    await sync(await idOf('one'))
    await run()
    expect(await bench.stored(sourceId)).toEqual({ one: 'The first version.', two: 'Changed as well.' })
  })

  it('deletes an item that its provider no longer has', async () => {
    const id = await idOf('one')
    provider.remove('one')
    expect(await sync(id)).toEqual({ outcome: 'deleted', reason: null })
    expect(await bench.stored(sourceId)).toEqual({ two: 'Something else.' })
    await expect(sync(id)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('passes an item that another account still has to that account', async () => {
    const other = await bench.connect()
    await bench.queue(other)
    await bench.worker(adapter()).settle()
    const id = await idOf('one')
    const own = await bench.db
      .selectFrom('source_items')
      .select('source_id')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    const nothing: ProviderAdapter = {
      ...adapter(),
      readItem: async (_session, { externalId }) => ({ upserts: [], deletions: [externalId], failures: [] }),
    }
    expect((await sync(id, nothing)).outcome).toBe('unchanged')
    const heir = await bench.db
      .selectFrom('source_items')
      .select('source_id')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    expect([own.source_id, heir.source_id].toSorted()).toEqual([sourceId, other].toSorted())
  })

  it('keeps an item that cannot be read, and replaces the reason that a run gave', async () => {
    await run(false, withFailure('The file is encrypted'))
    expect(await reasons()).toEqual([['one', 'The file is encrypted']])
    fault = new ProviderError('rejected', 'The file is larger than 25 MiB')
    expect(await sync(await idOf('one'))).toEqual({
      outcome: 'failed',
      reason: 'The file is larger than 25 MiB',
    })
    expect(await reasons()).toEqual([['one', 'The file is larger than 25 MiB']])
    expect(await bench.stored(sourceId)).toMatchObject({ one: 'The first version.' })
  })

  it.each([
    ['stored', false],
    ['gone', true],
  ])('clears the reason once the item is %s', async (_what, isGone) => {
    await run(false, withFailure('The file is encrypted'))
    if (isGone) provider.remove('one')
    await sync(await idOf('one'))
    expect(await reasons()).toEqual([])
  })

  it('says so, and changes nothing, when its provider does not answer', async () => {
    fault = new ProviderError('unavailable', 'Bad gateway')
    const id = await idOf('one')
    await expect(sync(id)).rejects.toMatchObject({
      code: 'upstream_error',
      message: 'Notion answered: Bad gateway',
    })
    expect(await events()).toEqual([])
  })

  it('works during a run, which still removes nothing that it has seen', async () => {
    const id = await idOf('one')
    for (let number = 0; number < 6; number += 1) provider.put(`page-${number}`, `Number ${number}.`)
    const outcomes: string[] = []
    provider.beforePage = async (page) => {
      // The first page, with the item, is stored. Reading the item lists pages, too.
      if (page !== 1) return
      provider.beforePage = () => {}
      outcomes.push((await sync(id)).outcome)
    }
    await run(true)
    expect(outcomes).toEqual(['unchanged'])
    expect(Object.keys(await bench.stored(sourceId))).toContain('one')
  })

  it.each([
    ['an older version', false],
    ['a deletion', true],
  ])('reads an item again when a run stored a newer version after %s was read', async (_what, wasGone) => {
    const id = await idOf('one')
    let reads = 0
    const overtaken: ProviderAdapter = {
      ...adapter(),
      async readItem(session, input) {
        if (wasGone && reads === 0) provider.remove('one')
        const read = await adapter().readItem?.(session, input)
        reads += 1
        if (reads === 1) {
          provider.put('one', 'The newer version.')
          bench.now += 1_000
          await run()
        }
        return read ?? { upserts: [], deletions: [], failures: [] }
      },
    }
    expect(await sync(id, overtaken)).toEqual({ outcome: 'unchanged', reason: null })
    expect(reads).toBe(2)
    expect(await bench.stored(sourceId)).toMatchObject({ one: 'The newer version.' })
    expect(await events()).toHaveLength(1)
  })

  it('stores an item whose stored version is dated in the future, after a few reads', async () => {
    const id = await idOf('one')
    const later = new Date(bench.now + 60_000)
    await bench.db.updateTable('source_items').set({ synced_at: later }).where('id', '=', id).execute()
    let reads = 0
    const counted: ProviderAdapter = {
      ...adapter(),
      async readItem(session, input) {
        reads += 1
        if (reads > 50) throw new Error('reads without end')
        const read = await adapter().readItem?.(session, input)
        return read ?? { upserts: [], deletions: [], failures: [] }
      },
    }
    provider.put('one', 'The newer version.')
    await sync(id, counted)
    expect(reads).toBeLessThan(10)
    expect(await bench.stored(sourceId)).toMatchObject({ one: 'The newer version.' })
  })

  it('refuses a pushed item, one that another person owns, a paused source, and a provider that cannot', async () => {
    const id = await idOf('one')
    const { readItem: _, ...cannot } = adapter()
    await expect(sync(id, cannot)).rejects.toMatchObject({ code: 'item_not_synced' })
    await bench.db.deleteFrom('synced_items').where('external_id', '=', 'two').execute()
    await expect(sync(await idOf('two'))).rejects.toMatchObject({ code: 'item_not_synced' })
    await expect(sync(randomUUID())).rejects.toMatchObject({ code: 'not_found' })
    await bench.db.updateTable('sources').set({ status: 'disabled' }).where('id', '=', sourceId).execute()
    await expect(sync(id)).rejects.toMatchObject({ code: 'source_disabled' })
  })
})

const withFailure = (message: string): ProviderAdapter => ({
  ...provider.adapter,
  async *listChanges(session, input) {
    for await (const page of provider.adapter.listChanges(session, input))
      yield { ...page, failures: [{ externalId: 'one', message }] }
  },
})
