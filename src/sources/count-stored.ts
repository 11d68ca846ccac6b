import { sql } from 'kysely'
import { z } from 'zod'
import type { Db } from '../database/database.ts'
import { SOURCE_STATUSES } from '../database/schema-words.ts'
import type { Viewer } from '../kernel/viewer.ts'
import type { SourceRef } from '../kernel/source-ref.ts'
import { mayBeRead } from '../permissions/index.ts'
import { PROVIDERS, providersOf } from '../providers/index.ts'
import type { Overview, RemovalPreview } from './schemas.ts'
import { isNotRemoved } from './source.ts'

/** Counting stops here, so that an overview always costs the same. */
export const COUNTED_MAX = { itemsOfSource: 100_000, chunks: 500_000 }

const OverviewRows = z.array(
  z.object({
    id: z.string(),
    provider: z.enum(PROVIDERS),
    display_name: z.string(),
    status: z.enum(SOURCE_STATUSES),
    last_synced_at: z.date().nullable(),
    items: z.number(),
    waiting: z.number(),
  }),
)
const ChunkRows = z.array(z.object({ chunks: z.number() }))

/** Counts what a viewer may read, each number up to {@link COUNTED_MAX}; the oldest source first. */
export async function readOverview(db: Db, viewer: Viewer, counted = COUNTED_MAX): Promise<Overview> {
  const { organizationId, readable } = viewer
  const isReadable = mayBeRead(readable, 'policy_id')
  const { rows } = await sql`
    select s.id, s.provider, s.display_name, s.status, s.last_synced_at, stored.items, unread.waiting
    from sources s
    cross join lateral (select count(*)::int as items from (
      select from source_items i where i.organization_id = ${organizationId} and i.source_id = s.id
        and ${isReadable}
      limit ${counted.itemsOfSource}
    ) i) stored
    cross join lateral (select count(*)::int as waiting from (
      select from source_items i where i.organization_id = ${organizationId} and i.source_id = s.id
        and i.canvas_sha256 is distinct from i.content_sha256 and ${isReadable}
      limit ${counted.itemsOfSource}
    ) i) unread
    where s.organization_id = ${organizationId} and ${isNotRemoved('s')}
      and s.provider in (${sql.join([...providersOf(viewer)])})
    order by s.created_at, s.id`.execute(db)
  // Without a condition the count reads no items.
  const ofReadable = readable.isEverything
    ? sql``
    : sql`and c.source_item_id in (
        select id from source_items where organization_id = ${organizationId} and ${isReadable})`
  const { rows: chunkRows } = await sql`
    select count(*)::int as chunks from (
      select from chunks c where c.organization_id = ${organizationId} ${ofReadable} limit ${counted.chunks}
    ) c`.execute(db)
  const found = OverviewRows.parse(rows)
  const chunks = ChunkRows.parse(chunkRows)[0]?.chunks ?? 0
  return {
    items: found.reduce((sum, { items }) => sum + items, 0),
    chunks,
    itemsWaiting: found.reduce((sum, { waiting }) => sum + waiting, 0),
    sources: found.map((row) => ({
      id: row.id,
      provider: row.provider,
      displayName: row.display_name,
      status: row.status,
      items: row.items,
      lastSyncedAt: row.last_synced_at?.toISOString() ?? null,
    })),
    isCapped: chunks === counted.chunks || found.some(({ items }) => items === counted.itemsOfSource),
  }
}

const PreviewRows = z.array(
  z.object({ items: z.number(), chunks: z.number(), items_kept: z.number(), sync_runs: z.number() }),
)

/** Counts what removing a source would delete (see removals.ts), without changing anything. */
export async function previewRemoval(
  db: Db,
  { organizationId, sourceId }: SourceRef,
): Promise<RemovalPreview> {
  const { rows } = await sql`
    with claimed as (
      select s.source_item_id as id, exists (
        select from synced_items o
        join sources l on l.organization_id = o.organization_id and l.id = o.source_id and l.removed_at is null
        where o.organization_id = ${organizationId} and o.source_item_id = s.source_item_id and o.source_id <> ${sourceId}
      ) as is_kept
      from synced_items s where s.organization_id = ${organizationId} and s.source_id = ${sourceId}
    ), deleted as (
      select id from claimed where not is_kept
      union all
      select i.id from source_items i where i.organization_id = ${organizationId} and i.source_id = ${sourceId}
        and not exists (select from claimed c where c.id = i.id)
    )
    select
      (select count(*)::int from deleted) as items,
      (select count(*)::int from chunks c join deleted d on d.id = c.source_item_id
        where c.organization_id = ${organizationId}) as chunks,
      (select count(*)::int from claimed where is_kept) as items_kept,
      (select count(*)::int from sync_runs r
        where r.organization_id = ${organizationId} and r.source_id = ${sourceId}) as sync_runs`.execute(db)
  const [row] = PreviewRows.parse(rows)
  if (!row) throw new Error('the database counted nothing')
  return { items: row.items, chunks: row.chunks, itemsKept: row.items_kept, syncRuns: row.sync_runs }
}
