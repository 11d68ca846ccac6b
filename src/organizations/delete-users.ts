import { sql } from 'kysely'
import type { Db, Tx } from '../database/database.ts'
import { transact } from '../database/retry-conflicts.ts'
import { DAY_MS } from '../kernel/clock.ts'
import { inParts } from '../kernel/in-parts.ts'
import { WITHOUT_WORKSPACE_DAYS } from '../kernel/retention.ts'

/** Tables that refer to a user: a user with a row in one of them is kept. */
const NAMED_BY = [
  ['memberships', 'user_id'],
  ['former_members', 'user_id'],
  ['oauth_states', 'user_id'],
  ['invitations', 'created_by_user_id'],
  ['invitations', 'accepted_by_user_id'],
  ['scim_tokens', 'created_by_user_id'],
] as const

const AT_ONCE = 500

/** Deletes the given users that no row refers to, if not seen since `seenBefore`. @returns how many */
export async function deleteUnreferencedUsers(
  tx: Tx,
  userIds: readonly string[],
  seenBefore: Date | null = null,
): Promise<number> {
  // The same order everywhere prevents deadlocks between transactions that lock the same users.
  const sorted = userIds.toSorted()
  let deleted = 0
  for (const some of inParts(sorted, AT_ONCE)) deleted += await deleteSome(tx, some, seenBefore)
  return deleted
}

async function deleteSome(tx: Tx, some: string[], seenBefore: Date | null): Promise<number> {
  // Locked, so that no workspace can add them: the rows checked below all refer to them.
  let wanted = tx.selectFrom('users').select('id').where('id', 'in', some)
  if (seenBefore !== null) wanted = wanted.where(lastSeen, '<', seenBefore)
  const ids = (await wanted.orderBy('id').forUpdate().execute()).map(({ id }) => id)
  if (ids.length === 0) return 0
  const needed = new Set<string | null>()
  for (const [table, column] of NAMED_BY) {
    const { rows } = await sql<{ id: string }>`
      select distinct ${sql.ref(column)} as id from ${sql.table(table)}
      where ${sql.ref(column)} in (${sql.join(ids)})`.execute(tx)
    for (const { id } of rows) needed.add(id)
  }
  const unneeded = ids.filter((id) => !needed.has(id))
  if (unneeded.length > 0) await tx.deleteFrom('users').where('id', 'in', unneeded).execute()
  return unneeded.length
}

const lastSeen = sql<Date>`coalesce(seen_at, created_at)`

/** Deletes users without any workspace who were not seen for 30 days. @returns how many */
export async function deleteUsersWithoutWorkspace(db: Db, now: Date): Promise<number> {
  const seenBefore = new Date(now.getTime() - WITHOUT_WORKSPACE_DAYS * DAY_MS)
  const { rows } = await sql<{ id: string }>`
    select id from users u
    where ${lastSeen} < ${seenBefore}
      and not exists (select from memberships m where m.user_id = u.id)
      and not exists (select from former_members f where f.user_id = u.id)
    limit ${AT_ONCE}`.execute(db)
  if (rows.length === 0) return 0
  const ids = rows.map(({ id }) => id)
  return await transact(db, (tx) => deleteUnreferencedUsers(tx, ids, seenBefore))
}

/** Deletes expired invitations with their addresses. */
export async function deleteExpiredInvitations(db: Db, now: Date): Promise<void> {
  await db.deleteFrom('invitations').where('expires_at', '<=', now).execute()
}
