import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { Db } from '../database/database.ts'
import { createPreparedShapes } from '../database/prepared.ts'
import type { SourceKind } from '../database/schema.ts'
import type { Reader } from '../kernel/reader.ts'
import type { ProviderId } from '../kernel/providers.ts'
import { mayBeRead } from '../permissions/index.ts'
import { ListedRow, type ListedSourceItem, toListedSourceItem } from './document-schema.ts'
import { LISTED_COLUMNS, SOURCE_KINDS } from './item.ts'
import { decodeCursor, encodeCursor, type ListName, type ListPlace } from '../kernel/list-cursor.ts'

export interface ListQuery {
  provider?: ProviderId | undefined
  connectorId?: string | undefined
  sourceKind?: SourceKind | undefined
  /** Part of the title or of the external id, whatever its case. */
  title?: string | undefined
  /** `nextCursor` of the page before. */
  cursor?: string | undefined
  limit: number
}

export interface ItemPage {
  sourceItems: ListedSourceItem[]
  /** null: these are the last. */
  nextCursor: string | null
}

/** `updated_at` as exact as the database has it: a date of JavaScript ends at the millisecond. */
const Rows = z.array(ListedRow.extend({ at: z.string() }))

const runPrepared = createPreparedShapes()

/**
 * A page of the items that the reader may read, the latest changed first and by id where they changed at the same moment. Items of removed sources
 * are not among them.
 *
 * The newest of each source in scope and of each kind are read by their index, which has the access policy too; then the newest of
 * those are kept. What is out of scope is not even walked over, and no page costs more than the ones before.
 * @throws AppError `validation_failed` for a cursor that is not of this very list
 */
export async function listItems(db: Db, reader: Reader, query: ListQuery): Promise<ItemPage> {
  const { organizationId, readable } = reader
  const { provider, connectorId, sourceKind, title, cursor, limit } = query
  const list: ListName = [
    organizationId,
    provider,
    connectorId,
    sourceKind,
    ...(title === undefined ? [] : [title]),
  ]
  const place = cursor === undefined ? null : decodeCursor(list, cursor)
  const kinds = (sourceKind === undefined ? SOURCE_KINDS : [sourceKind]).map((kind) => sql`(${kind}::text)`)
  const statement = sql`
    select i.*, to_char(i.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at
    from (
      select n.id from sources s
      cross join (values ${sql.join(kinds)}) as k(kind)
      cross join lateral (
        select id, updated_at from source_items
        where organization_id = ${organizationId} and source_id = s.id and source_kind = k.kind ${beyond(place)}
          and ${mayBeRead(readable, 'policy_id')} ${called(title)}
        order by updated_at desc, id
        limit ${limit + 1}
      ) n
      where s.organization_id = ${organizationId} and s.removed_at is null
        ${inScope(reader)}
        ${provider === undefined ? sql`` : sql`and s.provider = ${provider}`}
        ${connectorId === undefined ? sql`` : sql`and s.id = ${connectorId}`}
      order by n.updated_at desc, n.id
      limit ${limit + 1}
    ) n
    cross join lateral (
      select id, updated_at, synced_at, ${sql.join(LISTED_COLUMNS.map((name) => sql.ref(name)))}
      from source_items where organization_id = ${organizationId} and id = n.id limit 1
    ) i
    order by i.updated_at desc, i.id`.compile(db)
  const { rows } = await runPrepared(db, statement)
  const found = Rows.parse(rows)
  const page = found.slice(0, limit)
  const last = found.length > limit ? page.at(-1) : undefined
  return {
    sourceItems: page.map(toListedSourceItem),
    nextCursor: last === undefined ? null : encodeCursor(list, last),
  }
}

function inScope({ allowedProviders }: Reader): RawBuilder<unknown> {
  return allowedProviders === null ? sql`` : sql`and s.provider in (${sql.join([...allowedProviders])})`
}

/** Only items whose title or external id contains these characters. */
function called(title: string | undefined): RawBuilder<unknown> {
  if (title === undefined) return sql``
  const pattern = `%${title.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
  return sql`and (title ilike ${pattern} or external_id ilike ${pattern})`
}

/** What comes after a place. The first condition is the index's; the second is for what changed at the very same moment. */
function beyond(place: ListPlace | null): RawBuilder<unknown> {
  if (place === null) return sql``
  const at = sql`${place.at}::timestamptz`
  return sql`and updated_at <= ${at} and (updated_at < ${at} or id > ${place.id})`
}
