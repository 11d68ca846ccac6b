import { sql } from 'kysely'
import { z } from 'zod'
import { acquireLease, isLeaseFree, type Lease, NO_LEASE, releaseLease } from '../background/index.ts'
import type { Db, Tx } from '../database/database.ts'
import { prepare } from '../database/prepared.ts'
import type { Row } from '../database/schema.ts'
import { storableText } from '../kernel/text.ts'
import type { IndexOf } from './index-ddl.ts'

/** An index whose lease this process holds. */
export interface Held extends IndexOf {
  lease: Lease<'approximate_indexes'>
  dimensions: number
}

const ERROR_CHARACTERS_MAX = 1_000

/** The columns of a row that starts over. */
const ANEW = {
  status: 'building',
  finished_at: null,
  error_message: null,
  ...NO_LEASE,
} as const

const findReady = prepare(`
  select 1 from approximate_indexes where organization_id = $1 and embedding_model_id = $2 and status = 'ready'`)

/** Whether an organization's vectors of a model have a searchable index. */
export async function hasReadyIndex(db: Db, { organizationId, modelId }: IndexOf): Promise<boolean> {
  return (await findReady(db, [organizationId, modelId])).rows.length > 0
}

export async function findWanted(
  db: Db,
  organizationId: string,
): Promise<Row<'approximate_indexes'> | undefined> {
  return await db
    .selectFrom('approximate_indexes')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .executeTakeFirst()
}

export async function findAllWanted(db: Db): Promise<(IndexOf & { isReady: boolean })[]> {
  const rows = await db
    .selectFrom('approximate_indexes')
    .select(['organization_id', 'embedding_model_id', 'status'])
    .orderBy('organization_id')
    .execute()
  return rows.map((row) => ({
    organizationId: row.organization_id,
    modelId: row.embedding_model_id,
    isReady: row.status === 'ready',
  }))
}

/** Records that an index is wanted. Retries a failed one immediately; does not change a ready or building one. */
export async function want(tx: Tx, { organizationId, modelId }: IndexOf, at: Date): Promise<void> {
  await tx
    .insertInto('approximate_indexes')
    .values({
      organization_id: organizationId,
      embedding_model_id: modelId,
      requested_at: at,
      ...ANEW,
    })
    .onConflict((conflict) =>
      conflict
        .column('organization_id')
        .doUpdateSet({ requested_at: at, ...ANEW })
        .where('approximate_indexes.status', '=', 'failed'),
    )
    .execute()
}

/** @returns whether one was wanted */
export async function unwant(db: Db, organizationId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('approximate_indexes')
    .where('organization_id', '=', organizationId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

const Moved = z.array(z.object({ organizationId: z.string(), modelId: z.number() }))

/** Organizations whose answering model is not that of their index, with the answering model. */
export async function findMoved(db: Db): Promise<IndexOf[]> {
  const { rows } = await sql`
    select o.id as "organizationId", o.embedding_model_id as "modelId"
    from approximate_indexes a join organizations o on o.id = a.organization_id
    where o.embedding_model_id <> a.embedding_model_id order by o.id`.execute(db)
  return Moved.parse(rows)
}

/** Queues an organization's index for a rebuild with this model. A process that builds another one loses its lease. */
export async function reopen(db: Db, { organizationId, modelId }: IndexOf): Promise<void> {
  await db
    .updateTable('approximate_indexes')
    .set({ embedding_model_id: modelId, ...ANEW })
    .where('organization_id', '=', organizationId)
    .execute()
}

const Waiting = z.array(z.object({ organization_id: z.string() }))

/** Organizations with an index to build and no lease, longest waiting first; none while any is being built. */
export async function findWaiting(db: Db): Promise<string[]> {
  const { rows } = await sql`
    select organization_id from approximate_indexes
    where status <> 'ready' and ${isLeaseFree('lease_expires_at')}
      and not exists (select from approximate_indexes b where b.organization_id is not null and b.lease_id is not null
        and not ${isLeaseFree('b.lease_expires_at')})
    order by requested_at, organization_id`.execute(db)
  return Waiting.parse(rows).map((row) => row.organization_id)
}

const Claimed = z.object({ modelId: z.number(), dimensions: z.number() })

/** Acquires the lease. @returns null: another process has it, or there is nothing to build */
export async function claim(db: Db, organizationId: string, leaseSeconds: number): Promise<Held | null> {
  const lease = await acquireLease(
    db,
    { table: 'approximate_indexes', key: { organization_id: organizationId } },
    { seconds: leaseSeconds, set: { status: 'building' }, where: sql<boolean>`status <> 'ready'` },
  )
  if (lease === null) return null
  const { rows } = await sql`
    select a.embedding_model_id as "modelId", m.dimensions
    from approximate_indexes a join embedding_models m on m.id = a.embedding_model_id
    where a.organization_id = ${organizationId} and a.lease_id = ${lease.id}`.execute(db)
  return rows.length === 0 ? null : { organizationId, lease, ...Claimed.parse(rows[0]) }
}

/** Releases the lease with the index ready. @returns false if the lease is lost or the index no longer wanted */
export async function finish(db: Db, { lease }: Held, at: Date): Promise<boolean> {
  return await releaseLease(db, lease, { set: { status: 'ready', finished_at: at, error_message: null } })
}

/** Releases the lease of an unfinished index; the next attempt waits for some seconds. */
export async function giveUp(
  db: Db,
  { lease }: Held,
  { waitSeconds, failure }: { waitSeconds: number; failure: string | null },
): Promise<void> {
  const error_message = failure === null ? null : storableText(failure).slice(0, ERROR_CHARACTERS_MAX)
  await releaseLease(db, lease, {
    waitSeconds,
    ...(failure === null ? {} : { set: { status: 'failed', error_message } }),
  })
}
