import { sql } from 'kysely'
import type { Db, Tx } from '../database/database.ts'
import { retryConflicts } from '../database/retry-conflicts.ts'

/** Where somebody is named as who they are: while one of these rows is there, so are they. */
const NAMED_BY = [
  ['memberships', 'user_id'],
  ['former_members', 'user_id'],
  ['oauth_states', 'user_id'],
  ['invitations', 'created_by_user_id'],
  ['invitations', 'accepted_by_user_id'],
  ['scim_tokens', 'created_by_user_id'],
] as const

/** People of one statement. */
const AT_ONCE = 500
/** How long somebody is known who signs in and belongs to nothing: their invitation may still come. */
const STRANGER_DAYS = 30

/**
 * Deletes who of these belongs to no workspace, belonged to none that is still there, and is named by none: a sign-in makes them anew.
 * @param seenBefore only who was not seen since
 * @returns how many they were
 */
export async function forgetUsers(
  tx: Tx,
  userIds: readonly string[],
  seenBefore: Date | null = null,
): Promise<number> {
  // In one order for all, so that of two that lock the same people one waits.
  const sorted = userIds.toSorted()
  let forgotten = 0
  for (let at = 0; at < sorted.length; at += AT_ONCE)
    forgotten += await forgetSome(tx, sorted.slice(at, at + AT_ONCE), seenBefore)
  return forgotten
}

async function forgetSome(tx: Tx, some: string[], seenBefore: Date | null): Promise<number> {
  // From now on nobody can take them into a workspace: each of the rows that are looked for refers to them.
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

/**
 * Forgets whoever has not been seen for 30 days and neither belongs to a workspace nor is named by one that is there. Those of a
 * workspace that is removed go with it; this is for who never came into one, or was still named elsewhere then.
 * @returns how many they were
 */
export async function forgetStrangers(db: Db, now: Date): Promise<number> {
  const seenBefore = new Date(now.getTime() - STRANGER_DAYS * 86_400_000)
  const { rows } = await sql<{ id: string }>`
    select id from users u
    where ${lastSeen} < ${seenBefore}
      and not exists (select from memberships m where m.user_id = u.id)
      and not exists (select from former_members f where f.user_id = u.id)
    limit ${AT_ONCE}`.execute(db)
  if (rows.length === 0) return 0
  const ids = rows.map(({ id }) => id)
  return await retryConflicts(() => db.transaction().execute((tx) => forgetUsers(tx, ids, seenBefore)))
}

/** Deletes invitations that nobody can accept any more, with the addresses that they were for. */
export async function forgetInvitations(db: Db, now: Date): Promise<void> {
  await db.deleteFrom('invitations').where('expires_at', '<=', now).execute()
}
