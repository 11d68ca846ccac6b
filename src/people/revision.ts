import { sql } from 'kysely'
import type { Db, Tx } from '../database/database.ts'
import { retryConflicts } from '../database/retry-conflicts.ts'
import { AppError } from '../kernel/errors.ts'

/**
 * Increases the revision of the organization's people and groups, in the transaction that changes them; caches of
 * principals compare it. The row stays locked until the commit, so changes of one organization run one after the other.
 */
export async function bumpPermissions(tx: Db, organizationId: string): Promise<void> {
  await nextRevision(tx, organizationId)
}

/** @returns whether the organization exists */
async function nextRevision(tx: Db, organizationId: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('organizations')
    .set({ permissions_revision: sql<number>`permissions_revision + 1` })
    .where('id', '=', organizationId)
    .where('removed_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/**
 * A transaction that changes people or groups. Changes of one organization run one after the other.
 * @throws AppError `not_found` when the organization is being removed
 */
export async function changePeople<Result>(
  db: Db,
  organizationId: string,
  act: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  return await retryConflicts(() =>
    db.transaction().execute(async (tx) => {
      if (!(await nextRevision(tx, organizationId)))
        throw new AppError('not_found', 'There is no such workspace')
      return await act(tx)
    }),
  )
}
