import { hash } from 'node:crypto'
import { z } from 'zod'
import { arrayOf } from '../database/array-of.ts'
import type { Db } from '../database/database.ts'
import { prepare } from '../database/prepared.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import { SOURCE_KINDS } from '../kernel/source-kinds.ts'
import type { Readable, Viewer } from '../kernel/viewer.ts'
import { PROVIDERS, providersOf } from '../providers/index.ts'

/** A source whose items the caller may see. */
const VisibleSource = z.object({
  id: z.string(),
  provider: z.enum(PROVIDERS),
  label: z.string(),
  /** How many of its items the canvas has read. */
  items: z.number(),
})
export type VisibleSource = z.output<typeof VisibleSource>

/** The part of an organization that the caller may see; the canvas counts only within it. */
export interface View {
  organizationId: string
  sources: readonly VisibleSource[]
  readable: Readable
  /** The items of a person; null: all. */
  items: ViewedItems | null
  /** Revision of the canvas when the view was taken; null: unknown. */
  revision: string | null
}

/** The latest items that a person may read, as the canvas has read them. */
export interface ViewedItems {
  /** A value for `$1::uuid[]`. */
  ids: string
  /** Distinguishes lists. */
  key: string
}

/** Items in a person's canvas; their names are counted again for each request. */
export const PERSONS_ITEMS_MAX = 2_000

/** The sources in the viewer's scope, optionally of one provider, that are not being removed; oldest first. */
export async function viewOf(db: Db, viewer: Viewer, provider?: ProviderId): Promise<View> {
  const { organizationId, readable } = viewer
  const providers = providersOf(viewer).filter((one) => provider === undefined || one === provider)
  if (providers.length === 0) return { organizationId, sources: [], readable, items: null, revision: null }
  const { rows } = await selectSources(db, [organizationId, providers])
  const visible = SourceRows.parse(rows)
  const view = {
    organizationId,
    sources: visible,
    readable,
    items: null,
    revision: visible[0]?.revision ?? null,
  }
  return readable.isEverything || visible.length === 0 ? view : await viewOfPerson(db, view)
}

async function viewOfPerson(db: Db, view: View): Promise<View> {
  const { organizationId, sources, readable } = view
  const { rows } = await selectLatest(db, [
    organizationId,
    arrayOf(sources.map(({ id }) => id)),
    readable.ids,
  ])
  const items = ItemRows.parse(rows)
  const bySource = Map.groupBy(items, (row) => row.source_id)
  const ids = arrayOf(items.map(({ id }) => id))
  return {
    ...view,
    sources: sources.map(({ id, provider, label }) => ({
      id,
      provider,
      label,
      items: bySource.get(id)?.length ?? 0,
    })),
    items: { ids, key: hash('sha256', ids, 'base64url') },
  }
}

const SourceRows = z.array(VisibleSource.extend({ revision: z.string().nullable() }))
const ItemRows = z.array(z.object({ id: z.string(), source_id: z.string() }))

const selectSources = prepare(`
  select s.id, s.provider, s.display_name as label, coalesce(t.items, 0) as items, w.revision from sources s
  left join canvas_work w on w.organization_id = s.organization_id
  left join entity_totals t on t.organization_id = s.organization_id and t.entity_id = s.id and t.source_id = s.id
  where s.organization_id = $1 and s.provider = any($2::text[]) and s.removed_at is null
  order by s.created_at, s.id`)

// Takes the newest of each source and kind from the index by policy, then keeps those whose current content
// the canvas has read.
const selectLatest = prepare(`
  select i.id, i.source_id from (
    select l.id, l.updated_at from unnest($2::uuid[]) as s(id)
    cross join unnest(array[${SOURCE_KINDS.map((kind) => `'${kind}'`).join(', ')}]) as k(kind)
    cross join lateral (
      select id, updated_at from source_items
      where organization_id = $1 and source_id = s.id and source_kind = k.kind
        and coalesce(policy_id in (select unnest($3::text::int[])), false)
      order by updated_at desc, id limit ${PERSONS_ITEMS_MAX}
    ) l
    order by l.updated_at desc, l.id limit ${PERSONS_ITEMS_MAX}
  ) l
  join source_items i on i.organization_id = $1 and i.id = l.id and i.canvas_sha256 = i.content_sha256
  order by l.updated_at desc, l.id`)
