import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { Db } from '../database/database.ts'
import { exactTime } from '../database/list-page.ts'
import { createPreparedShapes } from '../database/prepared.ts'
import type { Viewer } from '../kernel/viewer.ts'
import { type ItemPage, ListedRow, type ListQuery, toListedSourceItem } from './schemas.ts'
import { LISTED_COLUMNS } from './item.ts'
import { decodeCursor, encodeCursor, type ListName } from '../kernel/list-cursor.ts'
import { contains, newestItems } from './newest-items.ts'

/** `updated_at` as text, because JavaScript dates have millisecond precision. */
const Rows = z.array(ListedRow.extend({ at: z.string() }))

const runPrepared = createPreparedShapes()

/** A page of the items that the viewer may read, last changed first. @throws AppError `validation_failed` */
export async function listItems(db: Db, viewer: Viewer, query: ListQuery): Promise<ItemPage> {
  const { organizationId } = viewer
  const { provider, connectorId, sourceKind, title, cursor, limit } = query
  const list: ListName = [
    organizationId,
    provider,
    connectorId,
    sourceKind,
    ...(title === undefined ? [] : [title]),
  ]
  const place = cursor === undefined ? null : decodeCursor(list, cursor)
  const newest = newestItems(viewer, {
    provider,
    connectorId,
    sourceKind,
    conditions: title === undefined ? [] : [called(title)],
    place,
    limit: limit + 1,
  })
  const statement = sql`
    select i.*, ${exactTime(sql`i.updated_at`)} as at
    from (${newest}) n
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

/** Only items whose title or external ID contains this text. */
function called(title: string): RawBuilder<unknown> {
  return sql`(${contains('i.title', title)} or ${contains('i.external_id', title)})`
}
