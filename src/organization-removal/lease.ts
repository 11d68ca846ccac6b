import { sql } from 'kysely'
import { acquireLease, type Lease } from '../background/index.ts'
import type { Db } from '../database/database.ts'
import { isForeignKeyViolation } from '../database/retry-conflicts.ts'

export interface Held {
  organizationId: string
  lease: Lease<'organizations'>
  removedAt: Date
}

/** Organizations that are being removed, longest waiting first. */
export async function findRemoved(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('organizations')
    .select('id')
    .where('removed_at', 'is not', null)
    .orderBy('removed_at')
    .execute()
  return rows.map(({ id }) => id)
}

/** @returns null when another process holds it */
export async function claim(db: Db, organizationId: string, seconds: number): Promise<Held | null> {
  const lease = await acquireLease(
    db,
    { table: 'organizations', key: { id: organizationId } },
    { seconds, where: sql<boolean>`removed_at is not null` },
  )
  if (lease === null) return null
  const { removed_at: removedAt } = await db
    .selectFrom('organizations')
    .select('removed_at')
    .where('id', '=', organizationId)
    .executeTakeFirstOrThrow()
  return removedAt && { organizationId, lease, removedAt }
}

/** Deletes the organization's own row, the last one. @returns false if one refers to it, or the lease is lost */
export async function deleteOrganizationRow(db: Db, held: Held): Promise<boolean> {
  try {
    const { numAffectedRows } = await sql`
      delete from organizations where id = ${held.organizationId} and removal_lease_id = ${held.lease.id}`.execute(
      db,
    )
    return numAffectedRows === 1n
  } catch (error) {
    if (isForeignKeyViolation(error)) return false
    throw error
  }
}
