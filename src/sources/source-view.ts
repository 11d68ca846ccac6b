import { sql } from 'kysely'
import type { Db } from '../database/database.ts'
import { AppError } from '../kernel/errors.ts'
import type { Caller } from '../kernel/caller.ts'
import { providersOf } from '../providers/index.ts'
import { audienceOf, hasAudience } from './audience.ts'
import { isNotRemoved, requireSource, settingsOf } from './source.ts'
import type { SourceView } from './schemas.ts'

/** A source of the caller's providers. Sources of other providers look like missing ones. */
export async function getSource(db: Db, caller: Caller, id: string, lock?: 'locked'): Promise<SourceView> {
  if (lock) await requireSource(db, caller, id, lock)
  return viewFor(caller)(await findSource(db, caller, id))
}

/** The same as a row. @throws AppError `not_found` */
export async function findSource(db: Db, caller: Caller, id: string): Promise<SourceRow> {
  const row = await selectSources(db, caller).where('id', '=', id).executeTakeFirst()
  if (!row) throw new AppError('not_found', 'There is no such source')
  return row
}

export function selectSources(db: Db, caller: Caller) {
  return db
    .selectFrom('sources')
    .selectAll()
    .select(
      // Items stored under this source, and items it shares that another account of its provider read last. Each part
      // compares the organization with a value: comparing it with the row's column would query every shard.
      sql<number>`(select count(*)::int from source_items i
        where i.organization_id = ${caller.organizationId} and i.source_id = sources.id) + (
        select count(*)::int from sources other
        join source_items i on i.organization_id = other.organization_id and i.source_id = other.id
        join synced_items s on s.organization_id = i.organization_id and s.source_item_id = i.id
          and s.source_id = sources.id
        where other.organization_id = ${caller.organizationId} and other.provider = sources.provider
          and other.id <> sources.id and not sources.push_only)`.as('source_item_count'),
    )
    .where('organization_id', '=', caller.organizationId)
    .where(isNotRemoved())
    .where('provider', 'in', providersOf(caller))
}

type SourceRow = Awaited<ReturnType<ReturnType<typeof selectSources>['executeTakeFirstOrThrow']>>

/** A person sees more fields than an agent. */
export function viewFor(caller: Caller): (row: SourceRow) => SourceView {
  if (caller.kind === 'agent') return toView
  return (row) => ({
    ...toView(row),
    ...settingsOf(row),
    ...(row.push_only || !hasAudience(row.provider) ? {} : { audience: audienceOf(row.audience) }),
    errorCode: row.error_code,
    itemsSkipped: row.items_skipped ?? 0,
  })
}

export function toView(row: SourceRow): SourceView {
  return {
    id: row.id,
    provider: row.provider,
    status: row.status,
    displayName: row.display_name,
    externalAccountId: row.external_account_id,
    lastSyncedAt: row.last_synced_at?.toISOString() ?? null,
    errorMessage: row.error_message,
    channelAllowlist: row.channel_allowlist,
    sourceItemCount: row.source_item_count,
    policyHealth: row.policy_health,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}
