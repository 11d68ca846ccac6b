/**
 * Approximate indexes on request of the operator, each over one organization's vectors of the model that
 * answers for it.
 *
 * A row says that an index is wanted; the catalog says which exist. A worker reconciles the two: it builds
 * missing indexes one at a time under a lease, and drops unwanted ones (of a deleted organization, of a model
 * that no longer answers, of a process that died during a build). So requests, moves and deletions need not
 * touch indexes, and the next run repairs whatever was interrupted.
 */
import { sql } from 'kysely'
import { z } from 'zod'
import { createTask } from '../background/index.ts'
import type { OpenDatabase } from '../database/database.ts'
import { transact } from '../database/retry-conflicts.ts'
import type { Db } from '../database/database.ts'
import { isDistributed } from '../database/distribution/distribute.ts'
import type { Clock } from '../kernel/clock.ts'
import { AppError } from '../kernel/errors.ts'
import { createBuild, type LeaseTimes } from './build-index.ts'
import { findIndex, findIndexes } from './catalog.ts'
import { dropIndex, indexName } from './index-ddl.ts'
import { findAllWanted, findMoved, findWaiting, findWanted, reopen, unwant, want } from './store.ts'
import type { Logger } from '../kernel/logger.ts'
import type { ApproximateIndex } from './schemas.ts'

export interface ApproximateIndexes {
  /** Starts a background build, if there is none. @throws AppError `not_found`, `approximate_index_refused` */
  ask(requestId: string, organizationId: string): Promise<ApproximateIndex>
  /** @throws AppError `not_found` */
  read(organizationId: string): Promise<ApproximateIndex>
  /** Searches stop using it now; a worker drops it in the background. @throws AppError `not_found` */
  drop(requestId: string, organizationId: string): Promise<ApproximateIndex>
  /** Reconciles now and every 15 seconds, if this process works. */
  start(): void
  /** Reconciles now. Never rejects: failures are logged. */
  settle(): Promise<void>
  /** Cancels the work in progress and releases its lease. */
  stop(): Promise<void>
}

export interface ApproximateIndexOptions {
  database: Pick<OpenDatabase, 'db' | 'openPatient'>
  clock: Clock
  logger: Pick<Logger, 'info' | 'error'>
  /** Whether this process does the work; otherwise another one does. */
  works: boolean
  times?: LeaseTimes
}

const INTERVAL_MS = 15_000
const TIMES: LeaseTimes = { leaseSeconds: 60, renewMs: 5_000 }

/** The operator's actions on approximate indexes, and the worker. Each action is logged once done. */
export function createApproximateIndexes(options: ApproximateIndexOptions): ApproximateIndexes {
  const { database, clock, logger, works, times = TIMES } = options
  const { db, openPatient } = database
  const task = createTask({
    async act() {
      if (openPatient === null || (await isDistributed(db))) return
      await dropStray(db, openPatient)
      const build = createBuild({ db, openPatient, clock, logger, times, signal: task.signal })
      // A build takes long, so the queue is read again after each.
      for (;;) {
        const [next] = task.signal.aborted ? [] : await findWaiting(db)
        if (next === undefined) return
        await build(next)
      }
    },
    intervalMs: INTERVAL_MS,
    onError: (err) => logger.error({ err }, 'approximate indexes could not be reconciled; will retry'),
  })

  return {
    async ask(requestId, organizationId) {
      const modelId = await answeringModel(db, organizationId)
      await requireIndexable(database)
      await transact(db, (tx) => want(tx, { organizationId, modelId }, clock.now()))
      logger.info({ requestId, organizationId }, 'the operator requested an approximate index')
      if (works) void task.ask()
      return await readView(db, organizationId)
    },
    read: (organizationId) => readView(db, organizationId),
    async drop(requestId, organizationId) {
      const view = await readView(db, organizationId)
      if (!(await unwant(db, organizationId))) return view
      logger.info({ requestId, organizationId }, 'the operator dropped an approximate index')
      if (works) void task.ask()
      return await readView(db, organizationId)
    },
    start() {
      if (works && openPatient !== null) task.start()
    },
    settle: task.ask,
    stop: task.stop,
  }
}

/** Queues indexes that are missing or belong to another model, and drops unwanted ones. */
async function dropStray(db: Db, openPatient: NonNullable<OpenDatabase['openPatient']>): Promise<void> {
  for (const moved of await findMoved(db)) await reopen(db, moved)
  // Reads the indexes first: the row of an existing index was there before it.
  const found = await findIndexes(db)
  const wanted = await findAllWanted(db)
  const names = new Set(wanted.map(indexName))
  const whole = new Set(found.filter(({ isValid }) => isValid).map(({ name }) => name))
  for (const one of wanted) if (one.isReady && !whole.has(indexName(one))) await reopen(db, one)
  const stray = found.filter(({ name, vectorsDone }) => !names.has(name) && vectorsDone === null)
  if (stray.length === 0) return
  // Waits for users of the table for longer than a request's statement may.
  const patient = await openPatient()
  try {
    for (const { name } of stray) await dropIndex(name).execute(patient.db)
  } finally {
    await patient.close()
  }
}

async function requireIndexable({
  db,
  openPatient,
}: Pick<OpenDatabase, 'db' | 'openPatient'>): Promise<void> {
  const reason =
    openPatient === null
      ? 'Set DATABASE_URL to a PostgreSQL server: on the embedded database, which has one session, building an index would block all requests for minutes'
      : (await isDistributed(db))
        ? 'The database is distributed: an index for one organization would be built on every shard'
        : null
  if (reason !== null) throw new AppError('approximate_index_refused', reason)
}

async function answeringModel(db: Db, organizationId: string): Promise<number> {
  const organization = await db
    .selectFrom('organizations')
    .select('embedding_model_id')
    .where('id', '=', organizationId)
    .where('removed_at', 'is', null)
    .executeTakeFirst()
  if (organization === undefined) throw notFound()
  if (organization.embedding_model_id === null) {
    throw new AppError(
      'approximate_index_refused',
      'Nothing is stored in this organization yet, so there are no vectors to index: store documents first',
    )
  }
  return organization.embedding_model_id
}

const Vectors = z.tuple([z.object({ model: z.string(), chunks: z.number() })])

async function readView(db: Db, organizationId: string): Promise<ApproximateIndex> {
  const row = await findWanted(db, organizationId)
  if (row === undefined) {
    const known = db
      .selectFrom('organizations')
      .select('id')
      .where('id', '=', organizationId)
      .where('removed_at', 'is', null)
    if ((await known.executeTakeFirst()) === undefined) throw notFound()
    const nothing = { chunksTotal: 0, chunksDone: 0, bytes: 0, errorMessage: null }
    return { status: 'none', model: null, ...nothing, requestedAt: null, finishedAt: null }
  }
  const { status, embedding_model_id: modelId } = row
  const { rows } = await sql`
    select m.name as model, (select count(*)::int from chunk_embeddings e
      where e.organization_id = ${organizationId} and e.embedding_model_id = ${modelId}) as chunks
    from embedding_models m where m.id = ${modelId}`.execute(db)
  const [{ model, chunks }] = Vectors.parse(rows)
  const found = await findIndex(db, indexName({ organizationId, modelId }))
  return {
    status,
    model,
    chunksTotal: chunks,
    chunksDone: status === 'ready' ? chunks : Math.min(chunks, found?.vectorsDone ?? 0),
    bytes: found?.bytes ?? 0,
    requestedAt: row.requested_at.toISOString(),
    finishedAt: row.finished_at?.toISOString() ?? null,
    errorMessage: row.error_message,
  }
}

function notFound(): AppError {
  return new AppError('not_found', 'There is no such organization')
}
