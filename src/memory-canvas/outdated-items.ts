import { sql } from 'kysely'
import { z } from 'zod'
import type { Db } from '../database/database.ts'

/** Finds items read by earlier rules: an item's mention of its source has the rule version as its counted name. */

const ITEMS_A_PAGE = 100

const OrganizationRows = z.array(z.object({ organization_id: z.string() }))
const PageRows = z.array(z.object({ id: z.string(), is_outdated: z.boolean() }))
const AnyRows = z.tuple([z.object({ any: z.boolean() })])

/** The next organization, by id, that has a canvas; null: none. */
export async function nextOrganization(db: Db, after: string): Promise<string | null> {
  const beyond = after === '' ? sql`` : sql`where organization_id > ${after}`
  const { rows } = await sql`
    select organization_id from canvas_work ${beyond} order by organization_id limit 1`.execute(db)
  return OrganizationRows.parse(rows)[0]?.organization_id ?? null
}

export async function hasOutdatedItems(db: Db, organizationId: string, rules: string): Promise<boolean> {
  const { rows } = await sql`
    select exists (
      select from sources s
      join entity_totals t on t.organization_id = s.organization_id and t.entity_id = s.id and t.source_id = s.id
      left join entity_names n on n.organization_id = s.organization_id and n.entity_id = s.id and n.source_id = s.id
        and n.name = ${rules}
      where s.organization_id = ${organizationId} and s.removed_at is null and t.items > coalesce(n.items, 0)
    ) as any`.execute(db)
  return AnyRows.parse(rows)[0].any
}

/** Scans a page of items by id. @returns the first `limit` outdated ones, and the last item scanned; null: no more */
export async function findOutdatedItems(
  db: Db,
  organizationId: string,
  { rules, after, limit }: { rules: string; after: string; limit: number },
): Promise<{ ids: string[]; last: string | null }> {
  const beyond = after === '' ? sql`` : sql`and id > ${after}`
  const { rows } = await sql`
    select i.id, exists (
      select from item_entities m
      where m.organization_id = ${organizationId} and m.source_item_id = i.id and m.role = 'source'
        and not m.names @> array[${rules}::text]
    ) as is_outdated
    from (
      select id from source_items where organization_id = ${organizationId} ${beyond} order by id limit ${ITEMS_A_PAGE}
    ) i
    order by i.id`.execute(db)
  const page = PageRows.parse(rows)
  const outdated = page.filter((row) => row.is_outdated).map(({ id }) => id)
  const ids = outdated.slice(0, limit)
  const last = ids.length < outdated.length ? ids.at(-1) : page.at(-1)?.id
  return { ids, last: last ?? null }
}
