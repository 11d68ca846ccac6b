/**
 * Moves an organization's chunks to the configured embedding model, in the background.
 *
 * `start` stores the move (status `running`). From then on, new chunks get vectors of both models. A worker
 * that holds the lease adds the missing vectors, batch by batch, and saves its position. When no chunk lacks
 * its new vector, one transaction switches the answering model. Searches use the old model until then. Afterwards
 * the worker deletes the vectors of all other models, batch by batch. Vectors of an earlier built-in model move
 * automatically, once no process of an earlier version can be running.
 */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { z } from 'zod'
import { type Author, recordEvent } from '../../audit/index.ts'
import { createTask, isLeaseFree, NO_LEASE } from '../../background/index.ts'
import type { Db, Tx } from '../../database/database.ts'
import { transact } from '../../database/retry-conflicts.ts'
import { ensureStoredModel, lockModelsForChange, type StoredModel } from '../organization-models.ts'
import type { ModelRegistry } from '../model-registry.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Caller } from '../../kernel/caller.ts'
import { createMove } from './move-chunks.ts'
import type { Logger } from '../../kernel/logger.ts'
import type { ModelMoveStatus } from './schemas.ts'

export interface ModelMove {
  /** Starts to move the caller's organization and returns immediately. Replaces a move to another model. */
  start(caller: Caller): Promise<ModelMoveStatus>
  status(organizationId: string): Promise<ModelMoveStatus>
  /** Starts moves from replaced models, then works on every unleased move until none can progress. Never rejects. */
  resume(): Promise<void>
  /** Resumes now and every 15 seconds: moves of ended processes, failed ones, and those started elsewhere. */
  startResuming(): void
  /** Stops after the current batch and releases its lease. */
  stop(): Promise<void>
}

export interface ModelMoveOptions {
  db: Db
  models: ModelRegistry
  clock: Clock
  logger: Logger
  /** Whether this process does the work; otherwise `start` leaves it to one that does. */
  works: boolean
  /** Milliseconds before earlier vectors move: processes of the previous version may still be answering. Default 0. */
  replaceAfterMs?: number
}

const RESUME_INTERVAL_MS = 15_000

const Waiting = z.array(z.object({ organization_id: z.string() }))

export function createModelMove({
  db,
  models,
  clock,
  logger,
  works,
  replaceAfterMs = 0,
}: ModelMoveOptions): ModelMove {
  const replacesFrom = clock.now().getTime() + replaceAfterMs
  async function startReplacing(): Promise<void> {
    const { configured } = models
    if (clock.now().getTime() < replacesFrom) return
    if (configured.replaces === undefined || configured.replaces.length === 0) return
    const replaced = await findReplaced(db, configured.replaces)
    if (replaced.length === 0) return
    const target = await ensureStoredModel(db, configured)
    for (const organizationId of replaced) {
      // Nobody requested it, so it is logged rather than audited.
      const mover = { organizationId, actor: null }
      await transact(db, (tx) => startMove(tx, mover, target, clock.now()))
      logger.info({ organizationId, model: target.name }, 'a re-embedding started')
    }
  }
  const resuming = createTask({
    async act() {
      await startReplacing()
      const { signal } = resuming
      const move = createMove({ db, models, clock, logger, signal })
      for (const organizationId of await findWaiting(db)) {
        if (signal.aborted) return
        await move(organizationId)
      }
    },
    intervalMs: RESUME_INTERVAL_MS,
    onError: (err) => logger.error({ err }, 'the search for unfinished re-embeddings failed'),
  })

  return {
    async start(caller) {
      const target = await ensureStoredModel(db, models.configured)
      const mover = { organizationId: caller.organizationId, actor: caller }
      await transact(db, (tx) => startMove(tx, mover, target, clock.now()))
      if (works) void resuming.ask()
      return await readStatus(db, caller.organizationId)
    },
    status: (organizationId) => readStatus(db, organizationId),
    resume: resuming.ask,
    startResuming() {
      if (works) resuming.start()
    },
    stop: resuming.stop,
  }
}

async function startMove(
  tx: Tx,
  { organizationId, actor }: { organizationId: string; actor: Author | null },
  target: StoredModel,
  at: Date,
): Promise<void> {
  // Waits for ingests in progress; later ones write both vectors.
  await lockModelsForChange(tx, organizationId)
  const running = await tx
    .selectFrom('reembeddings')
    .select('embedding_model_id')
    .where('organization_id', '=', organizationId)
    .where('status', '=', 'running')
    .executeTakeFirst()
  if (running?.embedding_model_id === target.id) return
  const id = randomUUID()
  const row = {
    id,
    embedding_model_id: target.id,
    status: 'running' as const,
    after_item_id: null,
    chunks_total: null,
    started_at: at,
    finished_at: null,
    error_message: null,
    ...NO_LEASE,
  }
  await tx
    .insertInto('reembeddings')
    .values({ organization_id: organizationId, ...row })
    .onConflict((conflict) => conflict.column('organization_id').doUpdateSet(row))
    .execute()
  if (actor === null) return
  await recordEvent(tx, actor, {
    action: 'maintenance.reembed.start',
    target: ['reembedding', id],
    metadata: { model: target.name },
    providers: [],
    at,
  })
}

async function findWaiting(db: Db): Promise<string[]> {
  const { rows } = await sql`
    select organization_id from reembeddings
    where status = 'running' and ${isLeaseFree('lease_expires_at')}
    order by started_at, organization_id`.execute(db)
  return Waiting.parse(rows).map((row) => row.organization_id)
}

/** Organizations that one of these models answers and that are not moving to another. */
async function findReplaced(db: Db, names: readonly string[]): Promise<string[]> {
  const { rows } = await sql`
    select o.id as organization_id from organizations o
    join embedding_models m on m.id = o.embedding_model_id
    left join reembeddings r on r.organization_id = o.id and r.status = 'running'
    where m.name in (${sql.join(names)}) and o.removed_at is null and r.organization_id is null
    order by o.id`.execute(db)
  return Waiting.parse(rows).map((row) => row.organization_id)
}

const StatusRow = z.object({
  answering_model: z.string().nullable(),
  model: z.string().nullable(),
  status: z.enum(['running', 'succeeded']).nullable(),
  chunks_total: z.number(),
  chunks_done: z.number(),
  started_at: z.date().nullable(),
  finished_at: z.date().nullable(),
  error_message: z.string().nullable(),
})

async function readStatus(db: Db, organizationId: string): Promise<ModelMoveStatus> {
  const { rows } = await sql`
    select answering.name as answering_model, coalesce(target.name, answering.name) as model, r.status, r.started_at,
      r.finished_at, r.error_message,
      coalesce(r.chunks_total, (select count(*) from chunks where organization_id = ${organizationId}))::int as chunks_total,
      coalesce(r.chunks_total, (select count(*) from chunk_embeddings e where e.organization_id = ${organizationId}
        and e.embedding_model_id = coalesce(target.id, answering.id)))::int as chunks_done
    from organizations o
    left join embedding_models answering on answering.id = o.embedding_model_id
    left join reembeddings r on r.organization_id = ${organizationId}
    left join embedding_models target on target.id = r.embedding_model_id
    where o.id = ${organizationId}`.execute(db)
  const row = StatusRow.parse(rows[0])
  return {
    status: row.status ?? 'idle',
    model: row.model,
    answeringModel: row.answering_model,
    chunksTotal: row.chunks_total,
    chunksDone: row.chunks_done,
    startedAt: row.started_at?.toISOString() ?? null,
    finishedAt: row.finished_at?.toISOString() ?? null,
    errorMessage: row.error_message,
  }
}
