import { sql } from 'kysely'
import { z } from 'zod'
import type { Db, Tx } from '../database/database.ts'
import { prepare } from '../database/prepared.ts'
import type { EmbeddingModel } from '../inference/embedding-model.ts'

export interface StoredModel {
  id: number
  name: string
}

export interface ModelState {
  /** The model that answers queries; null until the first vectors are stored. */
  active: StoredModel | null
  /** The target of a running re-embedding. */
  target: StoredModel | null
}

const StateRow = z.object({
  active_id: z.number().nullable(),
  active_name: z.string().nullable(),
  target_id: z.number().nullable(),
  target_name: z.string().nullable(),
})

const findModels = prepare(`
  select active.id as active_id, active.name as active_name, target.id as target_id, target.name as target_name
  from organizations o
  left join embedding_models active on active.id = o.embedding_model_id
  left join reembeddings r on r.organization_id = $1 and r.status = 'running'
  left join embedding_models target on target.id = r.embedding_model_id
  where o.id = $1`)

/** @throws if there is no such organization */
export async function readModelState(db: Db | Tx, organizationId: string): Promise<ModelState> {
  const { rows } = await findModels(db, [organizationId])
  const row = StateRow.parse(rows[0])
  return {
    active: storedModel(row.active_id, row.active_name),
    target: storedModel(row.target_id, row.target_name),
  }
}

function storedModel(id: number | null, name: string | null): StoredModel | null {
  return id === null || name === null ? null : { id, name }
}

const findModel = prepare<StoredModel>(`select id, name from embedding_models where name = $1`)

export async function ensureStoredModel(db: Db, model: EmbeddingModel): Promise<StoredModel> {
  const find = async (): Promise<StoredModel | undefined> => (await findModel(db, [model.id])).rows[0]
  const known = await find()
  if (known) return known
  // Selects first, because even a conflicting insert uses up an id.
  await db
    .insertInto('embedding_models')
    .values({ name: model.id, dimensions: model.dimensions })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  const made = await find()
  if (!made) throw new Error(`the embedding model ${model.id} was not stored`)
  return made
}

/** First half of the advisory lock's key: this service's locks on an organization's models. */
const LOCK_CLASS = 727_402

const lockShared = prepare(`select pg_advisory_xact_lock_shared($1::int, hashtext($2))`)

/** Until the transaction ends, no re-embedding starts or ends. Advisory, because row locks can starve a writer. */
export async function lockModelsForWriting(tx: Tx, organizationId: string): Promise<void> {
  await lockShared(tx, [LOCK_CLASS, organizationId])
}

/** Until the transaction ends, no other transaction stores vectors of the organization. */
export async function lockModelsForChange(tx: Tx, organizationId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(${LOCK_CLASS}::int, hashtext(${organizationId}))`.execute(tx)
}

/** Makes `modelId` the answering model of an organization without one. @returns the answering model */
export async function adoptModel(tx: Tx, organizationId: string, modelId: number): Promise<number> {
  const row = await tx
    .updateTable('organizations')
    .set((eb) => ({ embedding_model_id: eb.fn.coalesce('embedding_model_id', eb.val(modelId)) }))
    .where('id', '=', organizationId)
    .returning('embedding_model_id')
    .executeTakeFirstOrThrow()
  if (row.embedding_model_id === null) throw new Error('the organization has no embedding model')
  return row.embedding_model_id
}
