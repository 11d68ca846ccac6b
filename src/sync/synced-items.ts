import { sql } from 'kysely'
import { z } from 'zod'
import type { Db, Tx } from '../database/database.ts'
import type { CheckStored, NewItem } from '../items/index.ts'
import { findProvider } from '../providers/index.ts'
import type { Source } from '../sources/index.ts'

/** A row of synced_items is a source's claim on an item: two accounts may see the same file. */

type SyncedSource = Pick<Source, 'organizationId' | 'sourceId' | 'provider'>

/** An item stored by a run, and whether it had an access policy. */
export interface Synced {
  externalId: string
  hasPolicy: boolean
}

/** Records the claims on stored items, as part of the named full crawl, or of none. */
export async function markSynced(
  tx: Tx,
  source: SyncedSource,
  items: readonly Synced[],
  snapshot: string | null,
): Promise<void> {
  if (items.length === 0) return
  await sql`
    ${insertClaims(source, items, snapshot)}
    on conflict (organization_id, source_id, external_id)
      do update set snapshot = excluded.snapshot, has_policy = excluded.has_policy
    where (synced_items.snapshot, synced_items.has_policy)
      is distinct from (excluded.snapshot, excluded.has_policy)`.execute(tx)
}

/** The same for items that were read apart from the runs: a full crawl in progress must still find those it has seen. */
export async function markReread(
  tx: Tx,
  source: SyncedSource,
  items: readonly Synced[],
  snapshot: string | null,
): Promise<void> {
  if (items.length === 0) return
  await sql`
    ${insertClaims(source, items, snapshot)}
    on conflict (organization_id, source_id, external_id) do update set has_policy = excluded.has_policy
    where synced_items.has_policy is distinct from excluded.has_policy`.execute(tx)
}

function insertClaims(source: SyncedSource, items: readonly Synced[], snapshot: string | null) {
  return sql`
    insert into synced_items (organization_id, source_id, external_id, source_item_id, snapshot, has_policy)
    select i.organization_id, ${source.sourceId}, i.external_id, i.id, ${snapshot}, given."hasPolicy"
    from json_to_recordset(${JSON.stringify(items)}::json) as given("externalId" text, "hasPolicy" boolean)
    join source_items i on i.organization_id = ${source.organizationId} and i.provider = ${source.provider}
      and i.external_id = given."externalId"
    order by i.external_id collate "C"`
}

/** Whether one of these items was stored after a time. */
export async function wereStoredSince(
  tx: Tx,
  { organizationId, provider }: SyncedSource,
  externalIds: readonly string[],
  time: Date,
): Promise<boolean> {
  if (externalIds.length === 0) return false
  const { rows } = await sql`
    select 1 from source_items i
    where i.organization_id = ${organizationId} and i.provider = ${provider}
      and i.external_id in (${sql.join([...externalIds])}) and i.synced_at > ${time}
    limit 1`.execute(tx)
  return rows.length > 0
}

const Claims = z.array(z.object({ source_id: z.string(), external_id: z.string() }))

/** A source whose runs stored an item, the item's own before others; undefined for a pushed item. */
export async function findClaim(
  db: Db,
  organizationId: string,
  itemId: string,
): Promise<{ organizationId: string; sourceId: string; externalId: string } | undefined> {
  const { rows } = await sql`
    select s.source_id, s.external_id from synced_items s
    join source_items i on i.organization_id = s.organization_id and i.id = s.source_item_id
    where s.organization_id = ${organizationId} and s.source_item_id = ${itemId}
    order by s.source_id <> i.source_id, s.source_id
    limit 1`.execute(db)
  const [row] = Claims.parse(rows)
  return row && { organizationId, sourceId: row.source_id, externalId: row.external_id }
}

/** The same for items that could not be read this time: items already claimed count as seen. */
export async function markSeen(
  tx: Tx,
  source: SyncedSource,
  externalIds: readonly string[],
  snapshot: string,
): Promise<void> {
  if (externalIds.length === 0) return
  await sql`
    update synced_items s set snapshot = ${snapshot}
    from json_array_elements_text(${JSON.stringify(externalIds)}::json) as given(external_id)
    where s.organization_id = ${source.organizationId} and s.source_id = ${source.sourceId}
      and s.external_id = given.external_id`.execute(tx)
}

const Known = z.array(z.object({ external_id: z.string(), hash: z.string(), policy: z.unknown() }))
const ATTEMPTS_MAX = 8

/** An item changed after the policy that another source knows of it was read. */
class PolicyOutdated extends Error {}

/**
 * Stores items. Those whose permissions this source may not list get the policy that another source knows, unless the
 * provider lists none: then an item without a policy has none.
 * @param store stores the given items, unless the check throws
 */
export async function storeWithPolicies<Result>(
  db: Db,
  source: SyncedSource,
  items: readonly NewItem[],
  store: (items: NewItem[], check: CheckStored) => Promise<Result>,
): Promise<Result> {
  const { reportsReaders } = findProvider(source.provider)
  const withoutPolicy = items
    .filter(({ metadata }) => reportsReaders && !hasPolicy(metadata))
    .map(({ externalId }) => externalId)
  const lacksPolicy = new Set(withoutPolicy)
  for (let attempt = 1; ; attempt++) {
    const known = await findKnown(db, source, withoutPolicy)
    const check: CheckStored = ({ externalId }, stored) => {
      if (lacksPolicy.has(externalId) && known.get(externalId)?.hash !== stored?.hash)
        throw new PolicyOutdated()
    }
    const complete = items.map((item) => {
      const accessPolicy = known.get(item.externalId)?.policy ?? null
      return accessPolicy === null ? item : { ...item, metadata: { ...item.metadata, accessPolicy } }
    })
    try {
      return await store(complete, check)
    } catch (error) {
      if (!(error instanceof PolicyOutdated) || attempt === ATTEMPTS_MAX) throw error
    }
  }
}

/** Stored items with their hash, and with their policy if another source's runs have reported it, by external ID. */
async function findKnown(
  db: Db,
  source: SyncedSource,
  externalIds: readonly string[],
): Promise<Map<string, z.output<typeof Known>[number]>> {
  if (externalIds.length === 0) return new Map()
  const { rows } = await sql`
    select i.external_id, encode(i.content_sha256, 'hex') as hash, case when exists (
      select from synced_items s where s.organization_id = i.organization_id and s.source_item_id = i.id
        and s.source_id <> ${source.sourceId} and s.has_policy) then i.metadata -> 'accessPolicy' end as policy
    from json_array_elements_text(${JSON.stringify(externalIds)}::json) as given(external_id)
    join source_items i on i.organization_id = ${source.organizationId} and i.provider = ${source.provider}
      and i.external_id = given.external_id`.execute(db)
  return new Map(Known.parse(rows).map((row) => [row.external_id, row]))
}

export function hasPolicy(metadata: object): boolean {
  return 'accessPolicy' in metadata
}

const ExternalIds = z.array(z.object({ external_id: z.string() }))

/** Which of these items this source's runs stored. */
export async function findClaimed(
  tx: Tx,
  source: SyncedSource,
  externalIds: readonly string[],
): Promise<string[]> {
  if (externalIds.length === 0) return []
  const { rows } = await sql`
    select s.external_id from json_array_elements_text(${JSON.stringify(externalIds)}::json) as given(external_id)
    join synced_items s on s.organization_id = ${source.organizationId} and s.source_id = ${source.sourceId}
      and s.external_id = given.external_id`.execute(tx)
  return ExternalIds.parse(rows).map((row) => row.external_id)
}

/** External ids of at most `limit` items after `after` that the named full crawl has not seen, bytewise ascending. */
export async function findUnseen(
  db: Db,
  source: SyncedSource,
  snapshot: string,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const { rows } = await sql`
    select external_id from synced_items
    where organization_id = ${source.organizationId} and source_id = ${source.sourceId} and external_id > ${after}
      and snapshot is distinct from ${snapshot}
    order by external_id
    limit ${limit}`.execute(db)
  return ExternalIds.parse(rows).map((row) => row.external_id)
}

/** External ids of the items that this source's runs stored, bytewise ascending, `from` <= id < `to`. */
export async function storedIds(
  db: Db,
  source: SyncedSource,
  range: { from: string; to: string | null; limit: number },
): Promise<string[]> {
  const { rows } = await sql`
    select external_id from synced_items
    where organization_id = ${source.organizationId} and source_id = ${source.sourceId} and external_id >= ${range.from}
      ${range.to === null ? sql`` : sql`and external_id < ${range.to}`}
    order by external_id
    limit ${range.limit}`.execute(db)
  return ExternalIds.parse(rows).map((row) => row.external_id)
}

const PolicyCounts = z.array(z.object({ files: z.int(), without: z.int(), unseen: z.int() }))

/** Counts a source's items, those without `accessPolicy`, and whether a full crawl has seen all of the latter. */
export async function countPolicies(
  tx: Tx,
  source: SyncedSource,
  lastSnapshot: string | null,
): Promise<{ files: number; filesWithoutPolicy: number; resyncedSince: boolean }> {
  const { rows } = await sql`
    select (select count(*)::int from synced_items
        where organization_id = ${source.organizationId} and source_id = ${source.sourceId}) as files,
      count(*)::int as without,
      (count(*) filter (where s.snapshot is distinct from ${lastSnapshot}))::int as unseen
    from synced_items s
    join source_items i on i.organization_id = s.organization_id and i.id = s.source_item_id
    where s.organization_id = ${source.organizationId} and s.source_id = ${source.sourceId} and not s.has_policy
      and not i.metadata ? 'accessPolicy'`.execute(tx)
  const [counts] = PolicyCounts.parse(rows)
  const { files, without, unseen } = counts ?? { files: 0, without: 0, unseen: 0 }
  return { files, filesWithoutPolicy: without, resyncedSince: lastSnapshot !== null && unseen === 0 }
}
