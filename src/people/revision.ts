import { sql } from 'kysely'
import type { Db } from '../database/database.ts'

/**
 * Gives the organization's people and groups their next revision, in the transaction that changes them: whoever cached
 * the principals of a person compares it.
 */
export async function bumpPermissions(tx: Db, organizationId: string): Promise<void> {
  await tx
    .updateTable('organizations')
    .set({ permissions_revision: sql<number>`permissions_revision + 1` })
    .where('id', '=', organizationId)
    .execute()
}
