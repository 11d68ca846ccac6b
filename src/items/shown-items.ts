import type { Db } from '../database/database.ts'
import type { Row } from '../database/schema.ts'
import type { Caller } from '../kernel/caller.ts'
import { AppError } from '../kernel/errors.ts'
import type { Viewer } from '../kernel/viewer.ts'
import { providersOf } from '../providers/index.ts'

/** @throws AppError `not_found`, also for an item that the viewer may not read */
export async function requireReadable(db: Db, viewer: Viewer, id: string): Promise<Row<'source_items'>> {
  // First without its content: otherwise a large item takes longer to refuse than a missing one.
  if (!(await findReadable(db, viewer, [id])).has(id)) throw noSuchItem()
  const row = await selectShownItems(db, viewer)
    .selectAll('source_items')
    .where('source_items.id', '=', id)
    .executeTakeFirst()
  if (!row || !viewer.readable.has(row.policy_id)) throw noSuchItem()
  return row
}

export async function findReadable(
  db: Db,
  viewer: Viewer,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  const rows = await selectShownItems(db, viewer)
    .select(['source_items.id', 'source_items.policy_id'])
    .where('source_items.id', 'in', ids)
    .execute()
  return new Set(rows.filter((row) => viewer.readable.has(row.policy_id)).map(({ id }) => id))
}

/** The items in the caller's scope whose source is not being removed. */
export function selectShownItems(db: Db, caller: Caller) {
  return db
    .selectFrom('source_items')
    .innerJoin('sources', (join) =>
      join
        .onRef('sources.organization_id', '=', 'source_items.organization_id')
        .onRef('sources.id', '=', 'source_items.source_id'),
    )
    .where('source_items.organization_id', '=', caller.organizationId)
    .where('source_items.provider', 'in', providersOf(caller))
    .where('sources.removed_at', 'is', null)
}

/** The same message for an item that is missing, another organization's or out of scope. */
export function noSuchItem(): AppError {
  return new AppError('not_found', 'There is no such source item')
}
