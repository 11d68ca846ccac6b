import { sql } from 'kysely'
import type { Tx } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'
import type { SourceRef } from '../kernel/source-ref.ts'
import { deleteUnreferencedUsers } from '../organizations/index.ts'
import type { ItemChanges } from '../item-changes/index.ts'

/** Ends a source in the transaction that removes its organization. The organization is locked. */
export interface SourceEnds {
  /** Records that its grant must be revoked at the provider. */
  disconnect(tx: Tx, source: SourceRef): Promise<void>
  /** Marks it as removed and ends its sync runs. */
  mark(tx: Tx, changes: ItemChanges, source: SourceRef): Promise<void>
}

/** Small tables that grant access; deleting rows also ends their leases. The background deletes the rest. */
const DELETED_AT_ONCE = [
  'oauth_states',
  'invitations',
  'memberships',
  'former_members',
  'api_keys',
  'scim_tokens',
  'connector_access',
  'payment_accounts',
  'canvas_work',
  'reembeddings',
  'approximate_indexes',
] as const satisfies readonly (keyof Schema)[]

/** Marks a locked organization as removed and ends all access: keys, members, accounts and work in progress. */
export async function endAccess(
  tx: Tx,
  changes: ItemChanges,
  organizationId: string,
  { at, ends }: { at: Date; ends: SourceEnds },
): Promise<void> {
  await tx
    .updateTable('organizations')
    // The next start of a local deployment creates its workspace again.
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
  await deleteUnreferencedUsers(tx, memberIds)
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
  const found = new Set<string>()
  for (const table of ['memberships', 'former_members'] as const) {
    const rows = await tx
      .selectFrom(table)
      .select('user_id')
      .where('organization_id', '=', organizationId)
      .execute()
    for (const row of rows) found.add(row.user_id)
  }
  return [...found]
}
