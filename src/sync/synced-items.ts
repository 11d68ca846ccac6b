import { sql } from 'kysely'
import { z } from 'zod'
import type { Db, Tx } from '../database/database.ts'
import type { Row } from '../database/schema.ts'

type Source = Pick<Row<'sources'>, 'organization_id' | 'id' | 'provider'>

/** Notes that a run brought these items, as part of the full crawl named, or of none. They have to be stored. */
export async function markSynced(
  tx: Tx,
  source: Source,
  externalIds: readonly string[],
  snapshot: string | null,
): Promise<void> {
  if (externalIds.length === 0) return
  await sql`
    insert into synced_items (organization_id, source_item_id, snapshot)
    select i.organization_id, i.id, ${snapshot}
    from json_array_elements_text(${JSON.stringify(externalIds)}::json) as given(external_id)
    join source_items i on i.organization_id = ${source.organization_id} and i.provider = ${source.provider}
      and i.external_id = given.external_id
    order by i.id
    on conflict (organization_id, source_item_id) do update set snapshot = excluded.snapshot
    where synced_items.snapshot is distinct from excluded.snapshot`.execute(tx)
}

/** The same for items that could not be read this time: those that are stored from before count as seen. */
export async function markSeen(
  tx: Tx,
  source: Source,
  externalIds: readonly string[],
  snapshot: string,
): Promise<void> {
  if (externalIds.length === 0) return
  await sql`
    update synced_items s set snapshot = ${snapshot}
    from json_array_elements_text(${JSON.stringify(externalIds)}::json) as given(external_id)
    join source_items i on i.organization_id = ${source.organization_id} and i.provider = ${source.provider}
      and i.external_id = given.external_id
    where s.organization_id = i.organization_id and s.source_item_id = i.id`.execute(tx)
}

const Ids = z.array(z.object({ id: z.string() }))

/** Ids of the items among these that runs of this source brought. */
export async function findSynced(tx: Tx, source: Source, externalIds: readonly string[]): Promise<string[]> {
  if (externalIds.length === 0) return []
  const { rows } = await sql`
    select i.id from json_array_elements_text(${JSON.stringify(externalIds)}::json) as given(external_id)
    join source_items i on i.organization_id = ${source.organization_id} and i.provider = ${source.provider}
      and i.external_id = given.external_id and i.source_id = ${source.id}
    join synced_items s on s.organization_id = i.organization_id and s.source_item_id = i.id`.execute(tx)
  return Ids.parse(rows).map(({ id }) => id)
}

/** Ids of at most `limit` items of this source that the full crawl named has not seen. */
export async function findUnseen(db: Db, source: Source, snapshot: string, limit: number): Promise<string[]> {
  const { rows } = await sql`
    select i.id from source_items i
    join synced_items s on s.organization_id = i.organization_id and s.source_item_id = i.id
    where i.organization_id = ${source.organization_id} and i.source_id = ${source.id}
      and s.snapshot is distinct from ${snapshot}
    limit ${limit}`.execute(db)
  return Ids.parse(rows).map(({ id }) => id)
}

const ExternalIds = z.array(z.object({ external_id: z.string() }))

/** External ids of the items that runs of this source brought, bytewise ascending, `from` <= id < `to`. */
export async function storedIds(
  db: Db,
  source: Source,
  range: { from: string; to: string | null; limit: number },
): Promise<string[]> {
  const { rows } = await sql`
    select i.external_id from source_items i
    join synced_items s on s.organization_id = i.organization_id and s.source_item_id = i.id
    where i.organization_id = ${source.organization_id} and i.source_id = ${source.id}
      and i.external_id collate "C" >= ${range.from}
      ${range.to === null ? sql`` : sql`and i.external_id collate "C" < ${range.to}`}
    order by i.external_id collate "C"
    limit ${range.limit}`.execute(db)
  return ExternalIds.parse(rows).map((row) => row.external_id)
}

const PolicyCounts = z.array(z.object({ files: z.int(), without: z.int(), unseen: z.int() }))

/**
 * How many items the runs of a source brought, how many of them carry no `accessPolicy`, and whether all of those are as
 * the last full crawl left them or newer.
 */
export async function countPolicies(
  tx: Tx,
  source: Source,
  lastSnapshot: string | null,
): Promise<{ files: number; filesWithoutPolicy: number; resyncedSince: boolean }> {
  const { rows } = await sql`
    select count(*)::int as files,
      (count(*) filter (where i.metadata -> 'accessPolicy' is null))::int as without,
      (count(*) filter (where i.metadata -> 'accessPolicy' is null
        and s.snapshot is distinct from ${lastSnapshot}))::int as unseen
    from source_items i
    join synced_items s on s.organization_id = i.organization_id and s.source_item_id = i.id
    where i.organization_id = ${source.organization_id} and i.source_id = ${source.id}`.execute(tx)
  const [counts] = PolicyCounts.parse(rows)
  const { files, without, unseen } = counts ?? { files: 0, without: 0, unseen: 0 }
  return { files, filesWithoutPolicy: without, resyncedSince: lastSnapshot !== null && unseen === 0 }
}
