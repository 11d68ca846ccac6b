import { createDatabaseClock } from '../../src/background/index.ts'
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../../src/database/database.ts'
import type { Row } from '../../src/database/schema.ts'
import { createModelRegistry } from '../../src/models/index.ts'
import { createItems, type Items } from '../../src/items/index.ts'
import {
  PROVIDERS,
  DEFAULT_PROVIDER_LIMITS,
  type ProviderAdapter,
  type ProviderSession,
} from '../../src/providers/index.ts'
import type { ProviderId } from '../../src/kernel/provider-id.ts'
import { createSyncWorker, queueRun, storedIds, type SyncWorker } from '../../src/sync/index.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { hashEmbeddingModel } from './hash-embedding-model.ts'
import { insertOrganization, insertSource, type TestOrganization } from './organizations.ts'

/** A database with an organization, and workers on the test's clock. */
export interface SyncBench {
  database: TestDatabase
  db: Db
  organization: TestOrganization
  /** The time of every clock; waiting advances it. */
  now: number
  /** Background failures that workers reported. */
  errors: unknown[]
  /** The service's own failures on single items, as logged. */
  faults: unknown[]
  connect(provider?: ProviderId, values?: Partial<Row<'sources'>>): Promise<string>
  queue(sourceId: string, fullResync?: boolean): Promise<string>
  worker(adapters: Record<string, ProviderAdapter> | ProviderAdapter, options?: WorkerOptions): SyncWorker
  source(id: string): Promise<Row<'sources'>>
  run(id: string): Promise<Row<'sync_runs'>>
  newestRun(sourceId: string): Promise<Row<'sync_runs'>>
  /** External ids and bodies of a source's items, by id. */
  stored(sourceId: string): Promise<Record<string, string>>
  /** Simulates that every run's worker died a while ago. */
  expireLeases(): Promise<void>
  close(): Promise<void>
}

export interface WorkerOptions {
  concurrency?: number
  items?: Pick<Items, 'write'>
  /** How far this worker's clock is off, in milliseconds. */
  skewMs?: number
  progressLookMs?: number
  /** Providers that this worker does not offer, with the reason. */
  unoffered?: ReadonlyMap<ProviderId, string>
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>
}

export const SYNC_INTERVAL_MS = 15 * 60_000

/** On a database of its own unless one is given. Adapters go by source id, or one serves all sources. */
export async function startSyncBench(given?: TestDatabase): Promise<SyncBench> {
  const database = given ?? (await createTestDatabase())
  const { db } = database
  const organization = await insertOrganization(db)
  const models = createModelRegistry({
    configured: hashEmbeddingModel(),
    builtin: async () => hashEmbeddingModel(),
  })
  const bench: SyncBench = {
    database,
    db,
    organization,
    now: Date.UTC(2026, 0, 20),
    errors: [],
    faults: [],
    connect: (provider = 'notion', values = {}) =>
      insertSource(db, organization.id, {
        provider,
        push_only: false,
        status: 'pending',
        external_account_id: `account-${randomUUID()}`,
        ...values,
      }),
    async queue(sourceId, fullResync = false) {
      const run = { organizationId: organization.id, sourceId, fullResync, at: new Date(bench.now) }
      const queued = await db.transaction().execute((tx) => queueRun(tx, run))
      if (!queued) throw new Error('a run is active already')
      return queued.id
    },
    worker(adapters, options = {}) {
      const clock = { now: () => new Date(bench.now + (options.skewMs ?? 0)) }
      return createSyncWorker({
        db,
        clock: createDatabaseClock(clock, async () => -(options.skewMs ?? 0)),
        items: { ...createItems({ db, models, clock }), ...options.items },
        providers: PROVIDERS.filter((provider) => !options.unoffered?.has(provider)),
        unoffered: options.unoffered ?? new Map(),
        intervalMs: SYNC_INTERVAL_MS,
        random: () => 0.5,
        ...(options.concurrency === undefined ? {} : { concurrency: options.concurrency }),
        ...(options.progressLookMs === undefined ? {} : { progressLookMs: options.progressLookMs }),
        openAccount: async (run, { signal, wait }) => {
          const adapter = isAdapter(adapters) ? adapters : adapters[run.source.sourceId]
          if (!adapter) throw new Error('no adapter')
          const session: ProviderSession = {
            accessToken: async () => 'token',
            account: { externalAccountId: run.source.externalAccountId, displayName: 'Test' },
            extra: {},
            signal,
            clock,
            wait,
            random: () => 0.5,
            limits: DEFAULT_PROVIDER_LIMITS,
            storedIds: (range) => storedIds(db, run.source, range),
          }
          return { adapter, session }
        },
        sleep:
          options.sleep ??
          (async (ms, signal) => {
            signal.throwIfAborted()
            bench.now += ms
          }),
        onItemFault: (_run, fault) => bench.faults.push(fault),
        onPage: () => {},
        onWait: () => {},
        onRunEnded: () => {},
        onError: (error) => bench.errors.push(error),
      })
    },
    source: (id) => db.selectFrom('sources').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
    run: (id) => db.selectFrom('sync_runs').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
    newestRun: (sourceId) =>
      db
        .selectFrom('sync_runs')
        .selectAll()
        .where('source_id', '=', sourceId)
        .orderBy('created_at', 'desc')
        .orderBy('started_at', 'desc')
        .executeTakeFirstOrThrow(),
    async stored(sourceId) {
      const rows = await db
        .selectFrom('source_items')
        .select(['external_id', 'body'])
        .where('source_id', '=', sourceId)
        .orderBy('external_id')
        .execute()
      return Object.fromEntries(rows.map((row) => [row.external_id, row.body]))
    },
    async expireLeases() {
      await db
        .updateTable('sync_runs')
        .set({ lease_expires_at: sql<Date>`statement_timestamp() - interval '1 second'` })
        .where('lease_id', 'is not', null)
        .execute()
    },
    close: () => database.close(),
  }
  return bench
}

function isAdapter(value: Record<string, ProviderAdapter> | ProviderAdapter): value is ProviderAdapter {
  return typeof value['listChanges'] === 'function'
}
