import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import { z } from 'zod'
import { acquireLease, type Lease, LeaseLost, releaseLease, renewLease } from '../../background/index.ts'
import type { Db, Tx } from '../../database/database.ts'
import { transact } from '../../database/retry-conflicts.ts'
import { insertVectors } from '../insert-vectors.ts'
import { lockModelsForChange } from '../organization-models.ts'
import type { ModelRegistry } from '../model-registry.ts'
import type { EmbeddingModel } from '../../inference/embedding-model.ts'
import { embedAll, embeddingInput } from '../embed-chunks.ts'
import type { Clock } from '../../kernel/clock.ts'
import { storableText } from '../../kernel/text.ts'
import { changeWithoutLock, type ItemChanges } from '../../item-changes/index.ts'
import { findItemsAfter, findLackingChunks, type LackingChunk } from './lacking-chunks.ts'
import type { Logger } from '../../kernel/logger.ts'
import { messageOf } from '../../kernel/thrown-errors.ts'
import { inParts } from '../../kernel/in-parts.ts'

export interface MoveOptions {
  db: Db
  models: ModelRegistry
  clock: Clock
  logger: Logger
  /** Aborting it stops the work after the current batch. */
  signal: AbortSignal
}

/** Each batch renews the lease; an expired lease belongs to a dead process. */
const LEASE_SECONDS = 120
/** Delay before the next attempt after a failure. */
const RETRY_SECONDS = 30
/** Items scanned at a time; each has from one to some thousands of chunks. */
const ITEMS_A_BATCH = 32
/** Chunks embedded and written at a time: while the embedded database writes, it answers no one else. */
const CHUNKS_A_BATCH = 128
const ERROR_CHARACTERS_MAX = 1_000

/** A move whose lease this process holds. */
interface Held {
  organizationId: string
  lease: Lease<'reembeddings'>
  modelId: number
}

/** Works on an organization's move until it is done, fails, or is stopped. Failures are logged and stored. */
export function createMove(options: MoveOptions): (organizationId: string) => Promise<void> {
  const { db, models, logger, signal } = options
  return async (organizationId) => {
    const claimed = await claim(db, organizationId).catch((err: unknown) => {
      logger.error({ err, organizationId }, 'the lease of a re-embedding could not be acquired')
      return null
    })
    if (!claimed) return
    const { held, modelName, afterItemId } = claimed
    const log = { organizationId, model: modelName }
    try {
      const model = await models.find(modelName)
      if (!model) {
        logger.warn(log, 'a re-embedding waits for its model, which is not configured here')
        await release(db, held, RETRY_SECONDS, null)
        return
      }
      logger.info(log, 'a re-embedding continues')
      if (!(await moveAll(options, held, model, afterItemId))) return await release(db, held, null, null)
      logger.info(log, 'a re-embedding is done')
      await models
        .moved()
        .catch((err: unknown) =>
          logger.warn({ ...log, err }, 'stored settings of former models could not be deleted'),
        )
    } catch (error) {
      if (error instanceof LeaseLost) return
      if (signal.aborted) {
        await release(db, held, null, null)
        return
      }
      logger.error({ ...log, err: error }, 'a re-embedding stopped and will be retried')
      const message = messageOf(error)
      await release(db, held, RETRY_SECONDS, message).catch((err: unknown) =>
        logger.error({ ...log, err }, 'the lease of a re-embedding could not be released; it expires'),
      )
    }
  }
}

const IS_RUNNING = sql<boolean>`status = 'running'`

const ClaimedRow = z.object({
  embedding_model_id: z.number(),
  name: z.string(),
  after_item_id: z.string().nullable(),
})

async function claim(
  db: Db,
  organizationId: string,
): Promise<{ held: Held; modelName: string; afterItemId: string | null } | null> {
  const lease = await acquireLease(
    db,
    { table: 'reembeddings', key: { organization_id: organizationId } },
    { seconds: LEASE_SECONDS, where: IS_RUNNING },
  )
  if (lease === null) return null
  const { rows } = await sql`
    select r.embedding_model_id, m.name, r.after_item_id
    from reembeddings r join embedding_models m on m.id = r.embedding_model_id
    where r.organization_id = ${organizationId} and r.lease_id = ${lease.id}`.execute(db)
  if (rows.length === 0) return null
  const row = ClaimedRow.parse(rows[0])
  return {
    held: { organizationId, lease, modelId: row.embedding_model_id },
    modelName: row.name,
    afterItemId: row.after_item_id,
  }
}

/** Releases the move immediately or after some seconds. */
async function release(
  db: Db,
  { lease }: Held,
  waitSeconds: number | null,
  message: string | null,
): Promise<void> {
  const error_message = message && storableText(message).slice(0, ERROR_CHARACTERS_MAX)
  await releaseLease(db, lease, {
    waitSeconds,
    ...(error_message === null ? {} : { set: { error_message } }),
  })
}

/** @returns false if stopped early */
async function moveAll(
  options: MoveOptions,
  held: Held,
  model: EmbeddingModel,
  afterItemId: string | null,
): Promise<boolean> {
  const { db, logger, signal } = options
  let after = afterItemId
  while (!signal.aborted) {
    const itemIds = await findItemsAfter(db, held.organizationId, after, ITEMS_A_BATCH)
    const last = itemIds.at(-1)
    if (last === undefined) {
      const activated = await changeWithoutLock(db, held.organizationId, (tx, changes) =>
        activate(tx, changes, held),
      )
      if (activated) {
        logger.info(
          { organizationId: held.organizationId, model: model.id },
          'a re-embedding switched the model',
        )
        return await deleteFormerVectors(options, held)
      }
      // A process without the model stored something: scan everything once more.
      after = null
      continue
    }
    const lacking = await findLackingChunks(db, held.organizationId, held.modelId, itemIds)
    for (const batch of inParts(lacking, CHUNKS_A_BATCH)) {
      await setImmediate()
      if (signal.aborted) return false
      await moveBatch(options, held, model, batch)
    }
    await renew(db, held, last)
    after = last
  }
  return false
}

async function moveBatch(
  { db, signal }: MoveOptions,
  held: Held,
  model: EmbeddingModel,
  chunks: readonly LackingChunk[],
): Promise<void> {
  const inputs = chunks.map((chunk) => embeddingInput(chunk.title, chunk))
  const vectors = await embedAll(model, inputs, signal)
  const rows = vectors.flatMap((vector, index) => {
    const chunk = chunks[index]
    return chunk ? [{ ...chunk, vector }] : []
  })
  await transact(db, async (tx) => {
    await renew(tx, held)
    const unchanged = await lockUnchanged(tx, held.organizationId, chunks)
    const current = rows.filter((row) => unchanged.has(row.sourceItemId))
    if (current.length > 0) await insertVectors(tx, held.organizationId, held.modelId, current)
  })
}

/** Renews the lease and saves a given position. @throws LeaseLost */
async function renew(db: Db | Tx, { lease }: Held, afterItemId?: string): Promise<void> {
  await renewLease(db, lease, {
    seconds: LEASE_SECONDS,
    set: { error_message: null, ...(afterItemId === undefined ? {} : { after_item_id: afterItemId }) },
    where: IS_RUNNING,
  })
}

const LockedRows = z.array(z.object({ id: z.string() }))

/** The items whose content is unchanged; the lock keeps it so until the transaction ends. */
async function lockUnchanged(
  tx: Tx,
  organizationId: string,
  chunks: readonly LackingChunk[],
): Promise<Set<string>> {
  const hashes = [...new Map(chunks.map(({ sourceItemId, hash }) => [sourceItemId, hash]))]
  const read = JSON.stringify(hashes.map(([id, hash]) => ({ id, hash })))
  const { rows } = await sql`
    select i.id from source_items i
    join json_to_recordset(${read}::json) as r(id uuid, hash text) on r.id = i.id
    where i.organization_id = ${organizationId} and i.content_sha256 = decode(r.hash, 'hex')
    order by i.provider collate "C", i.external_id collate "C"
    for share of i`.execute(tx)
  return new Set(LockedRows.parse(rows).map((row) => row.id))
}

const ActivateRow = z.object({ is_complete: z.boolean(), chunks: z.number() })

/** Activates the new model when no chunk lacks its vector. @returns whether it did. @throws LeaseLost */
async function activate(tx: Tx, changes: ItemChanges, held: Held): Promise<boolean> {
  const { organizationId, modelId, lease } = held
  // From here on, no transaction can store chunks.
  await lockModelsForChange(tx, organizationId)
  // The sum keeps the planner from joining each chunk with all vectors of the model, when it knows of few.
  const { rows } = await sql`
    select count(*)::int as chunks, count(*) = count(e.position) as is_complete
    from chunks c left join chunk_embeddings e on e.organization_id = c.organization_id
      and e.source_item_id = c.source_item_id and e.position = c.position and e.embedding_model_id + 0 = ${modelId}
    where c.organization_id = ${organizationId}`.execute(tx)
  const { is_complete: isComplete, chunks } = ActivateRow.parse(rows[0])
  await renewLease(tx, lease, {
    seconds: LEASE_SECONDS,
    set: isComplete ? { chunks_total: chunks } : {},
    where: IS_RUNNING,
  })
  if (!isComplete) return false
  // Snapshots of either model are rebuilt, because the move recorded no changes.
  changes.addAll()
  await tx
    .updateTable('organizations')
    .set({ embedding_model_id: modelId })
    .where('id', '=', organizationId)
    .execute()
  return true
}

/** Deletes the vectors of all other models, in batches, and ends the move. @returns false if stopped early */
async function deleteFormerVectors({ db, clock, signal }: MoveOptions, held: Held): Promise<boolean> {
  const { organizationId, modelId, lease } = held
  let after: string | null = null
  while (!signal.aborted) {
    const itemIds = await findItemsAfter(db, organizationId, after, ITEMS_A_BATCH)
    const last = itemIds.at(-1)
    if (last === undefined) {
      const set = { status: 'succeeded' as const, finished_at: clock.now() }
      if (!(await releaseLease(db, lease, { set }))) throw new LeaseLost(lease.table)
      return true
    }
    await transact(db, async (tx) => {
      // The lock keeps a move to yet another model from starting between the two statements.
      await renew(tx, held)
      await tx
        .deleteFrom('chunk_embeddings')
        .where('organization_id', '=', organizationId)
        .where('embedding_model_id', '!=', modelId)
        .where('source_item_id', 'in', itemIds)
        .execute()
    })
    await setImmediate()
    after = last
  }
  return false
}
