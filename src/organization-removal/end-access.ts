import { sql } from 'kysely'
import type { Tx } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'
import type { SourceRef } from '../kernel/source-ref.ts'
import type { ItemChanges } from '../vector-memory/index.ts'

/** What ends a source, in the transaction that removes its organization, which has locked it. */
export interface SourceEnds {
  /** Notes that its grant has to be ended at the provider. */
  disconnect(tx: Tx, source: SourceRef): Promise<void>
  /** Marks it as removed and ends its runs. */
  mark(tx: Tx, changes: ItemChanges, source: SourceRef): Promise<void>
}

/**
 * Few rows each, by which somebody has access, or work goes on: whoever holds a lease in one of them has lost it. The rest is
 * deleted in the background.
 */
const DELETED_AT_ONCE = [
  'oauth_states',
  'invitations',
  'memberships',
  'api_keys',
  'connector_access',
  'payment_accounts',
  'canvas_work',
  'reembeddings',
  'approximate_indexes',
] as const satisfies readonly (keyof Schema)[]

/**
 * Marks an organization, whose row is locked, as removed, and takes it out of everybody's hands: its keys, its members and who
 * they are where they belong to nothing else, its sources' accounts, and the work that is under way for it.
 */
export async function endAccess(
  tx: Tx,
  changes: ItemChanges,
  organizationId: string,
  { at, ends }: { at: Date; ends: SourceEnds },
): Promise<void> {
  await tx
    .updateTable('organizations')
    // The next start of a local deployment makes its workspace anew.
    .set({ removed_at: at, is_local: false })
    .where('id', '=', organizationId)
    .execute()
  await endSources(tx, changes, organizationId, ends)
  const memberIds = await findMembers(tx, organizationId)
  for (const table of DELETED_AT_ONCE) {
    await sql`delete from ${sql.table(table)} where organization_id = ${organizationId}`.execute(tx)
  }
  await tx
    .updateTable('outgoing_webhooks')
    .set({ status: 'disabled', disabled_reason: 'person', updated_at: at })
    .where('organization_id', '=', organizationId)
    .where('status', '=', 'active')
    .execute()
  await forgetUsers(tx, memberIds)
}

async function endSources(
  tx: Tx,
  changes: ItemChanges,
  organizationId: string,
  ends: SourceEnds,
): Promise<void> {
  const sources = await tx
    .selectFrom('sources')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('removed_at', 'is', null)
    .orderBy('id')
    .forUpdate()
    .execute()
  for (const { id: sourceId } of sources) {
    await ends.disconnect(tx, { organizationId, sourceId })
    await ends.mark(tx, changes, { organizationId, sourceId })
  }
}

async function findMembers(tx: Tx, organizationId: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('memberships')
    .select('user_id')
    .where('organization_id', '=', organizationId)
    .execute()
  return rows.map((row) => row.user_id)
}

/** Deletes who of these belongs to no workspace and is named by none: a sign-in makes them anew. */
async function forgetUsers(tx: Tx, memberIds: readonly string[]): Promise<void> {
  if (memberIds.length === 0) return
  // From now on nobody can take them into a workspace: each of the rows that are looked for refers to them.
  const locked = await tx
    .selectFrom('users')
    .select('id')
    .where('id', 'in', [...memberIds])
    .orderBy('id')
    .forUpdate()
    .execute()
  const ids = locked.map(({ id }) => id)
  const needed = new Set<string | null>()
  for (const [table, column] of [
    ['memberships', 'user_id'],
    ['oauth_states', 'user_id'],
    ['invitations', 'created_by_user_id'],
    ['invitations', 'accepted_by_user_id'],
  ] as const) {
    const { rows } = await sql<{ id: string }>`
      select distinct ${sql.ref(column)} as id from ${sql.table(table)}
      where ${sql.ref(column)} in (${sql.join(ids)})`.execute(tx)
    for (const { id } of rows) needed.add(id)
  }
  const forgotten = ids.filter((id) => !needed.has(id))
  if (forgotten.length > 0) await tx.deleteFrom('users').where('id', 'in', forgotten).execute()
}
