import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { Db } from '../database/database.ts'
import { STORED_ENTITY_TYPES, type StoredEntityType } from '../database/schema-words.ts'
import { idsInView } from './atoms.ts'
import { fold } from './extraction/identity.ts'
import { idsOf } from './ids.ts'
import { runInView } from './in-view.ts'
import type { View } from './visible-sources.ts'

/** Limit on a query's words; a name has no more. */
const WORDS_MAX = 8
const FOUND_MAX = 500

/** The type of each atom by its id, in order. */
export type FoundAtoms = ReadonlyMap<string, StoredEntityType>

const Rows = z.array(z.object({ id: z.string(), type: z.enum(STORED_ENTITY_TYPES) }))

/** The atoms in view with every query word or a word that begins with it, those in the most items first. */
export async function findNamed(db: Db, view: View, query: string): Promise<FoundAtoms> {
  const words = fold(query)
    .split(' ')
    .filter((word) => word !== '')
  if (words.length === 0 || words.length > WORDS_MAX) return new Map()
  const asked = words.map((word) => `${word}:*`).join(' & ')
  return await withTypes(
    db,
    view,
    sql`
      select entity_id as id, sum(items) as items from entity_names
      where organization_id = ${view.organizationId} and source_id = any(${idsInView(view)}::uuid[])
        and to_tsvector('simple', words) @@ to_tsquery('simple', ${asked})
      group by entity_id order by sum(items) desc, entity_id limit ${FOUND_MAX}`,
  )
}

/** The atoms that these items name, those in the most items first. */
export async function findInItems(db: Db, view: View, itemIds: readonly string[]): Promise<FoundAtoms> {
  if (itemIds.length === 0) return new Map()
  return await withTypes(
    db,
    view,
    sql`
      select entity_id as id, count(*) as items from item_entities
      where organization_id = ${view.organizationId} and source_id = any(${idsInView(view)}::uuid[]) and role <> 'source'
        and source_item_id = any ${idsOf(itemIds)}
      group by entity_id order by count(*) desc, entity_id limit ${FOUND_MAX}`,
  )
}

/** @param found selects the atoms' ids and numbers of items */
async function withTypes(db: Db, view: View, found: RawBuilder<unknown>): Promise<FoundAtoms> {
  const { rows } = await runInView(
    db,
    view,
    sql`
    select n.id, e.type from (${found}) n
    join entities e on e.organization_id = ${view.organizationId} and e.id = n.id
    order by n.items desc, n.id`,
  )
  return new Map(Rows.parse(rows).map(({ id, type }) => [id, type]))
}
