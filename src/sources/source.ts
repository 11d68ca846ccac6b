import { type RawBuilder, sql, type UpdateObject } from 'kysely'
import type { Db, Tx } from '../database/database.ts'
import type { Row, Schema, SourceStatus } from '../database/schema.ts'
import type { Caller } from '../kernel/caller.ts'
import { AppError } from '../kernel/errors.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import type { SourceRef } from '../kernel/source-ref.ts'
import { type JsonValue, providersOf, type SourceSettings } from '../providers/index.ts'

/** A source as its runs see it. */
export interface Source extends SourceRef {
  provider: ProviderId
  status: SourceStatus
  displayName: string
  externalAccountId: string
  settings: SourceSettings
  /** The position in its provider's feed; null requests everything. */
  cursor: JsonValue | null
  /** Name of its last finished full crawl. */
  lastSnapshot: string | null
  /** Since when its provider has sent events. */
  pushSince: Date | null
  hasPolicyHealth: boolean
  /** The number of items that its runs could not read, counted at the end of the last one; null: not counted yet. */
  itemsSkipped: number | null
  updatedAt: Date
}

/** Whether a source exists: a removed one does not, even while its items are being deleted. */
export function isNotRemoved(table = 'sources'): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(`${table}.removed_at`)} is null`
}

/** Whether a source exists and has a provider account. */
export function hasAccount(table = 'sources'): RawBuilder<boolean> {
  return sql<boolean>`(not ${sql.ref(`${table}.push_only`)} and ${isNotRemoved(table)})`
}

/** A source of the caller's providers, optionally locked until the transaction ends. @throws AppError `not_found` */
export async function requireSource(db: Db, caller: Caller, id: string, lock?: 'locked') {
  const one = db
    .selectFrom('sources')
    .select([
      'provider',
      'status',
      'push_only',
      'beyond_plan',
      'audience',
      'connected_by',
      'external_account_id',
    ])
    .where('organization_id', '=', caller.organizationId)
    .where('id', '=', id)
    .where(isNotRemoved())
    .where('provider', 'in', providersOf(caller))
  const row = await (lock ? one.forUpdate() : one).executeTakeFirst()
  if (!row) throw new AppError('not_found', 'There is no such source')
  return row
}

/** Reads a source. @throws when it does not exist */
export async function readSource(db: Db, { organizationId, sourceId }: SourceRef): Promise<Source> {
  const row = await db
    .selectFrom('sources')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', '=', sourceId)
    .executeTakeFirstOrThrow()
  return toSource(row)
}

/** Locks a source until the transaction ends; undefined if it no longer exists. */
export async function lockSource(
  tx: Tx,
  { organizationId, sourceId }: SourceRef,
): Promise<Source | undefined> {
  const row = await tx
    .selectFrom('sources')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', '=', sourceId)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return row && toSource(row)
}

/** Undefined values stay as they are. */
export function updateSource(
  tx: Db,
  { organizationId, sourceId }: SourceRef,
  values: UpdateObject<Schema, 'sources', 'sources'>,
) {
  return tx
    .updateTable('sources')
    .set(values)
    .where('organization_id', '=', organizationId)
    .where('id', '=', sourceId)
}

/** The unpaused sources of an account, in every workspace. */
export async function findSourcesOf(
  db: Db,
  account: { provider: ProviderId; externalAccountId: string },
): Promise<SourceRef[]> {
  return await db
    .selectFrom('sources')
    .select(['organization_id as organizationId', 'id as sourceId'])
    .where('provider', '=', account.provider)
    .where('external_account_id', '=', account.externalAccountId)
    .where(hasAccount())
    .where('status', '<>', 'disabled')
    .execute()
}

export function settingsOf(row: Row<'sources'>): SourceSettings {
  return { channelAllowlist: row.channel_allowlist }
}

function toSource(row: Row<'sources'>): Source {
  return {
    organizationId: row.organization_id,
    sourceId: row.id,
    provider: row.provider,
    status: row.status,
    displayName: row.display_name,
    externalAccountId: row.external_account_id,
    settings: settingsOf(row),
    cursor: row.sync_cursor === null ? null : JSON.parse(row.sync_cursor),
    lastSnapshot: row.last_snapshot,
    pushSince: row.push_since,
    hasPolicyHealth: row.policy_health !== null,
    itemsSkipped: row.items_skipped,
    updatedAt: row.updated_at,
  }
}
