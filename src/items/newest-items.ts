import { type RawBuilder, sql } from 'kysely'
import { itemDate } from '../database/item-date.ts'
import { SOURCE_KINDS, type SourceKind } from '../kernel/source-kinds.ts'
import type { ListPlace } from '../kernel/list-cursor.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import type { Viewer } from '../kernel/viewer.ts'
import { mayBeRead } from '../permissions/index.ts'

/** Ascending and descending order use the same index. */
export const ITEM_ORDERS = ['newest', 'oldest'] as const
export type ItemOrder = (typeof ITEM_ORDERS)[number]

/** The time that orders a list: the latest change of the stored content, or the latest change at the source. */
export const ITEM_TIMES = ['stored', 'changed'] as const
export type ItemTime = (typeof ITEM_TIMES)[number]

interface Newest {
  provider?: ProviderId | undefined
  connectorId?: string | undefined
  sourceKind?: SourceKind | undefined
  /** On item `i`. */
  conditions: readonly RawBuilder<unknown>[]
  by?: ItemTime | undefined
  order?: ItemOrder | undefined
  /** The last item of the previous page. */
  place: ListPlace | null
  limit: number
}

/**
 * Selects `id` and the time `at` of the newest, or the oldest, items that the viewer may read, without those of removed sources.
 *
 * It reads the newest of each source in scope and of each kind by an index, and
 * keeps the newest of those. It never reads what is out of scope, and later pages cost no more than the first.
 */
export function newestItems(viewer: Viewer, given: Newest): RawBuilder<unknown> {
  const { organizationId, readable, allowedProviders } = viewer
  const { provider, connectorId, sourceKind, conditions, place, limit } = given
  const { by = 'stored', order = 'newest' } = given
  const at = timeOf(by)
  const kinds = (sourceKind === undefined ? SOURCE_KINDS : [sourceKind]).map((kind) => sql`(${kind}::text)`)
  return sql`
    select n.id, n.at from sources s
    cross join (values ${sql.join(kinds)}) as k(kind)
    cross join lateral (
      select i.id, ${at} as at from source_items i
      where i.organization_id = ${organizationId} and i.source_id = s.id and i.source_kind = k.kind ${beyond(at, place, order)}
        and ${sql.join([mayBeRead(readable, 'policy_id'), ...conditions], sql` and `)}
      order by ${inOrder(at, sql`i.id`, order)}
      limit ${limit}
    ) n
    where s.organization_id = ${organizationId} and s.removed_at is null
      ${allowedProviders === null ? sql`` : sql`and s.provider in (${sql.join([...allowedProviders])})`}
      ${provider === undefined ? sql`` : sql`and s.provider = ${provider}`}
      ${connectorId === undefined ? sql`` : sql`and s.id = ${connectorId}`}
    order by ${inOrder(sql`n.at`, sql`n.id`, order)}
    limit ${limit}`
}

/** The time of item `i`. Each has an index. */
export function timeOf(by: ItemTime): RawBuilder<unknown> {
  return by === 'stored' ? sql`i.updated_at` : sql.raw(itemDate('i'))
}

/** Items after a position. The first condition uses the index; the second is for items with the same time. */
function beyond(at: RawBuilder<unknown>, place: ListPlace | null, order: ItemOrder): RawBuilder<unknown> {
  if (place === null) return sql``
  const last = sql`${place.at}::timestamptz`
  if (order === 'oldest') return sql`and ${at} >= ${last} and (${at} > ${last} or i.id < ${place.id})`
  return sql`and ${at} <= ${last} and (${at} < ${last} or i.id > ${place.id})`
}

/** The order of a list: `oldest` is exactly the reverse. */
export function inOrder(
  at: RawBuilder<unknown>,
  id: RawBuilder<unknown>,
  order: ItemOrder,
): RawBuilder<unknown> {
  return order === 'newest' ? sql`${at} desc, ${id}` : sql`${at}, ${id} desc`
}

/** Whether a column contains these characters, ignoring case. `ilike` is up to ten times slower for a hostile text. */
export function contains(column: string, characters: string): RawBuilder<unknown> {
  return sql`strpos(lower(${sql.ref(column)}), lower(${characters})) > 0`
}
