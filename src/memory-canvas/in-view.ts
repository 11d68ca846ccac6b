import { CompiledQuery, type QueryResult, type RawBuilder } from 'kysely'
import type { Db } from '../database/database.ts'
import { prepare, type Prepared } from '../database/prepared.ts'
import type { View } from './visible-sources.ts'

/**
 * Counts only a person's items, in place of the tables with these names (totals have no type). `$1`:
 * organization, `$2`: items.
 * Not materialized, so that only the entities in the statement are counted.
 */
const OF_ITEMS = `
  with item_entities as (
    select m.* from item_entities m where m.organization_id = $1 and m.source_item_id = any($2::uuid[])
  ), entity_totals as (
    select organization_id, source_id, entity_id, count(*)::int as items,
      (count(*) filter (where role = 'author'))::int as authored
    from item_entities group by organization_id, source_id, entity_id
  ), entity_names as (
    select n.organization_id, c.source_id, c.entity_id, c.name, n.alias, n.words, c.items
    from (
      select m.source_id, m.entity_id, name, count(*)::int as items
      from item_entities m cross join unnest(m.names) as name
      group by m.source_id, m.entity_id, name
    ) c
    join entity_names n on n.organization_id = $1 and n.entity_id = c.entity_id and n.source_id = c.source_id
      and n.name = c.name
  )`

export type PreparedInView<Row> = (
  db: Db,
  view: View,
  values: readonly unknown[],
) => Promise<QueryResult<Row>>

/** Prepares a statement in which `item_entities`, `entity_totals` and `entity_names` contain only the view. */
export function prepareInView<Row>(text: string): PreparedInView<Row> {
  const ofAll: Prepared<Row> = prepare(text)
  return (db, view, values) =>
    view.items === null
      ? ofAll(db, values)
      : db.executeQuery(ofItems<Row>(view, view.items.ids, text, values))
}

/** The same for a statement that is parsed each time. */
export async function runInView(
  db: Db,
  view: View,
  statement: RawBuilder<unknown>,
): Promise<QueryResult<unknown>> {
  const compiled = statement.compile(db)
  if (view.items === null) return await db.executeQuery(compiled)
  return await db.executeQuery(ofItems(view, view.items.ids, compiled.sql, compiled.parameters))
}

function ofItems<Row>(
  { organizationId }: View,
  ids: string,
  text: string,
  values: readonly unknown[],
): CompiledQuery<Row> {
  const parameters = ['$1', '$2'].map((_, at) => `$${values.length + at + 1}`)
  const tables = OF_ITEMS.replace(/\$([12])/g, (_, number) => parameters[Number(number) - 1] ?? '')
  return CompiledQuery.raw(tables + text, [...values, organizationId, ids])
}
