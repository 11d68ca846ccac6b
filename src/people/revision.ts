import { sql } from 'kysely'
import type { Db, Tx } from '../database/database.ts'
import { transact } from '../database/retry-conflicts.ts'
import { AppError } from '../kernel/errors.ts'

/**
 * Increases the revision of people and groups, which caches compare. The row stays locked until the commit.
 * @returns whether the organization exists
 */
export async function bumpPermissions(tx: Db, organizationId: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('organizations')
    .set({ permissions_revision: sql<number>`permissions_revision + 1` })
    .where('id', '=', organizationId)
    .where('removed_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** A transaction that changes people or groups, one by one for an organization. @throws AppError `not_found` */
export async function changePeople<Result>(
  db: Db,
  organizationId: string,
  act: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  return await transact(db, async (tx) => {
    if (!(await bumpPermissions(tx, organizationId)))
      throw new AppError('not_found', 'There is no such workspace')
    return await act(tx)
  })
}
