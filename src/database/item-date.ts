/**
 * SQL for the date of an item: its last change at the source, else its creation there, else the last change of its stored
 * content. A sync that confirms the content does not move it. The index `source_items_by_source_date` has this expression.
 */
export function itemDate(table: string): string {
  return `coalesce(${table}.source_updated_at, ${table}.source_created_at, ${table}.updated_at)`
}
