import { type RawBuilder, sql } from 'kysely'
import type { SourceKind } from '../database/schema.ts'
import type { ListPlace } from '../kernel/list-cursor.ts'
import type { ProviderId } from '../kernel/providers.ts'
import type { Reader } from '../kernel/reader.ts'
import { mayBeRead } from '../permissions/index.ts'
import { SOURCE_KINDS } from './item.ts'

/** By the latest change here. Both orders read the same index. */
export const ITEM_ORDERS = ['newest', 'oldest'] as const
export type ItemOrder = (typeof ITEM_ORDERS)[number]

interface Newest {
  provider?: ProviderId | undefined
  connectorId?: string | undefined
  sourceKind?: SourceKind | undefined
  /** On item `i`. */
  conditions: readonly RawBuilder<unknown>[]
  order?: ItemOrder | undefined
  /** The last item of the previous page. */
  place: ListPlace | null
  limit: number
}

/**
 * Selects `id` and `updated_at` of the newest, or the oldest, items that the reader may read, without those of removed sources.
 *
 * It reads the newest of each source in scope and of each kind by their index, which includes the access policy, and
 * keeps the newest of those. It never reads what is out of scope, and later pages cost no more than the first.
 */
export function newestItems(reader: Reader, given: Newest): RawBuilder<unknown> {
  const { organizationId, readable, allowedProviders } = reader
  const { provider, connectorId, sourceKind, conditions, order = 'newest', place, limit } = given
  const kinds = (sourceKind === undefined ? SOURCE_KINDS : [sourceKind]).map((kind) => sql`(${kind}::text)`)
  return sql`
    select n.id, n.updated_at from sources s
    cross join (values ${sql.join(kinds)}) as k(kind)
    cross join lateral (
      select i.id, i.updated_at from source_items i
      where i.organization_id = ${organizationId} and i.source_id = s.id and i.source_kind = k.kind ${beyond(place, order)}
        and ${sql.join([mayBeRead(readable, 'policy_id'), ...conditions], sql` and `)}
      order by ${inOrder('i', order)}
      limit ${limit}
    ) n
    where s.organization_id = ${organizationId} and s.removed_at is null
      ${allowedProviders === null ? sql`` : sql`and s.provider in (${sql.join([...allowedProviders])})`}
      ${provider === undefined ? sql`` : sql`and s.provider = ${provider}`}
      ${connectorId === undefined ? sql`` : sql`and s.id = ${connectorId}`}
    order by ${inOrder('n', order)}
    limit ${limit}`
}

/** What comes after a place. The first condition is the index's; the second is for what changed at the very same moment. */
function beyond(place: ListPlace | null, order: ItemOrder): RawBuilder<unknown> {
  if (place === null) return sql``
  const at = sql`${place.at}::timestamptz`
  if (order === 'oldest')
    return sql`and i.updated_at >= ${at} and (i.updated_at > ${at} or i.id < ${place.id})`
  return sql`and i.updated_at <= ${at} and (i.updated_at < ${at} or i.id > ${place.id})`
}

/** The order of a list: `oldest` is exactly the reverse. */
export function inOrder(table: 'i' | 'n', order: ItemOrder): RawBuilder<unknown> {
  const [at, id] = [sql.ref(`${table}.updated_at`), sql.ref(`${table}.id`)]
  return order === 'newest' ? sql`${at} desc, ${id}` : sql`${at}, ${id} desc`
}

/** `updated_at` as exact as the database has it: a date of JavaScript ends at the millisecond. */
export function exactTime(table: 'i' | 'n'): RawBuilder<string> {
  return sql`to_char(${sql.ref(`${table}.updated_at`)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
}

/** A pattern for `ilike`: these characters, anywhere. */
export function containing(characters: string): string {
  return `%${characters.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
}
