import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { isLeaseFree, leaseEnd } from '../background/index.ts'
import type { Db } from '../database/database.ts'
import { isForeignKeyViolation } from '../database/retry-conflicts.ts'

/** The right to delete what an organization that is being removed has; one process has it at a time. */
export interface Held {
  organizationId: string
  leaseId: string
  removedAt: Date
}

/** Another process deletes by now, or all is deleted. */
export class LeaseLost extends Error {
  constructor() {
    super('the lease of the removal is lost')
    this.name = 'LeaseLost'
  }
}

/** The organizations that are being removed, whoever has waited longest first. */
export async function findRemoved(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('organizations')
    .select('id')
    .where('removed_at', 'is not', null)
    .orderBy('removed_at')
    .execute()
  return rows.map(({ id }) => id)
}

/** @returns null where another process has it */
export async function claim(db: Db, organizationId: string, seconds: number): Promise<Held | null> {
  const leaseId = randomUUID()
  const row = await db
    .updateTable('organizations')
    .set({ removal_lease_id: leaseId, removal_lease_expires_at: leaseEnd(seconds) })
    .where('id', '=', organizationId)
    .where('removed_at', 'is not', null)
    .where(isLeaseFree('removal_lease_expires_at'))
    .returning('removed_at')
    .executeTakeFirst()
  return row?.removed_at ? { organizationId, leaseId, removedAt: row.removed_at } : null
}

/** @throws LeaseLost */
export async function renew(db: Db, held: Held, seconds: number): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('organizations')
    .set({ removal_lease_expires_at: leaseEnd(seconds) })
    .where('id', '=', held.organizationId)
    .where('removal_lease_id', '=', held.leaseId)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw new LeaseLost()
}

/** Lets it go, with what is left undone. */
export async function handBack(db: Db, held: Held): Promise<void> {
  await db
    .updateTable('organizations')
    .set({ removal_lease_id: null, removal_lease_expires_at: null })
    .where('id', '=', held.organizationId)
    .where('removal_lease_id', '=', held.leaseId)
    .execute()
}

/** Deletes the organization's own row, the last one. @returns false where something refers to it, or the lease is lost */
export async function deleteOrganizationRow(db: Db, held: Held): Promise<boolean> {
  try {
    const { numAffectedRows } = await sql`
      delete from organizations where id = ${held.organizationId} and removal_lease_id = ${held.leaseId}`.execute(
      db,
    )
    return numAffectedRows === 1n
  } catch (error) {
    if (isForeignKeyViolation(error)) return false
    throw error
  }
}
