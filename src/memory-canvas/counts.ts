import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { z } from 'zod'
import type { Tx } from '../database/database.ts'
import type { StoredEntityType } from '../database/schema.ts'
import { NAMING_ROLES } from './extraction/identity.ts'
import { idsOf } from './ids.ts'
import { inParts } from '../kernel/in-parts.ts'

const Mention = z.object({
  sourceItemId: z.string(),
  entityId: z.string(),
  sourceId: z.string(),
  role: z.enum(NAMING_ROLES),
  names: z.array(z.string()),
})
export type Mention = z.output<typeof Mention>

export interface NameDetails {
  alias: string | null
  words: string
}

interface Change {
  sourceId: string
  entityId: string
  items: number
  authored: number
}

const ROWS_A_STATEMENT = 500

/** Collects changes to the totals as items start or stop naming entities. */
export class CountChanges {
  readonly #totals = new Map<string, Change>()
  readonly #names = new Map<string, { sourceId: string; entityId: string; name: string; items: number }>()

  /** @param by 1: the items now name it; -1: they no longer do */
  add({ sourceId, entityId, role, names }: Mention, by: 1 | -1): void {
    const key = `${sourceId}${entityId}`
    const total = this.#totals.get(key) ?? { sourceId, entityId, items: 0, authored: 0 }
    total.items += by
    if (role === 'author') total.authored += by
    this.#totals.set(key, total)
    for (const name of names) {
      const nameKey = `${key}${name}`
      const known = this.#names.get(nameKey) ?? { sourceId, entityId, name, items: 0 }
      known.items += by
      this.#names.set(nameKey, known)
    }
  }

  /**
   * Writes the changes and deletes what no item names any more. The caller's transaction has locked the
   * organization's canvas.
   * @param typeOf the type of an entity that gains items;
   * @param detailsOf the details of a name that gains items
   */
  async write(
    tx: Tx,
    organizationId: string,
    typeOf: (entityId: string) => StoredEntityType,
    detailsOf: (entityId: string, name: string) => NameDetails,
  ): Promise<void> {
    const totals = [...this.#totals.values()].filter(({ items, authored }) => items !== 0 || authored !== 0)
    const names = [...this.#names.values()].filter(({ items }) => items !== 0)
    for (const part of inParts(totals, ROWS_A_STATEMENT)) {
      await writeTotals(
        tx,
        organizationId,
        part.map((one) => Object.assign({ type: gains(one) ? typeOf(one.entityId) : 'topic' }, one)),
      )
    }
    for (const part of inParts(names, ROWS_A_STATEMENT)) {
      await writeNames(
        tx,
        organizationId,
        part.map((one) =>
          Object.assign({}, one, gains(one) ? detailsOf(one.entityId, one.name) : NO_DETAILS),
        ),
      )
    }
    const losing = [
      ...new Set([...totals, ...names].filter((one) => !gains(one)).map(({ entityId }) => entityId)),
    ]
    for (const part of inParts(losing, ROWS_A_STATEMENT)) await removeUnnamed(tx, organizationId, part)
  }
}

/** For a name that exists already. */
const NO_DETAILS: NameDetails = { alias: null, words: '' }

function gains({ items }: { items: number }): boolean {
  return items > 0
}

async function writeTotals(tx: Tx, organizationId: string, rows: readonly object[]): Promise<void> {
  await sql`
    insert into entity_totals (organization_id, source_id, entity_id, type, items, authored)
    select ${organizationId}, r."sourceId", r."entityId", r.type, r.items, r.authored
    from json_to_recordset(${JSON.stringify(rows)}::json)
      as r("sourceId" uuid, "entityId" uuid, type text, items int, authored int)
    on conflict (organization_id, source_id, entity_id) do update set
      items = entity_totals.items + excluded.items, authored = entity_totals.authored + excluded.authored`.execute(
    tx,
  )
}

async function writeNames(tx: Tx, organizationId: string, rows: readonly object[]): Promise<void> {
  await sql`
    insert into entity_names (organization_id, source_id, entity_id, name, alias, words, items)
    select ${organizationId}, r."sourceId", r."entityId", r.name, r.alias, r.words, r.items
    from json_to_recordset(${JSON.stringify(rows)}::json)
      as r("sourceId" uuid, "entityId" uuid, name text, alias text, words text, items int)
    on conflict (organization_id, source_id, entity_id, name) do update set
      items = entity_names.items + excluded.items`.execute(tx)
}

/** Deletes entities and names that no item names any more. */
async function removeUnnamed(tx: Tx, organizationId: string, entityIds: readonly string[]): Promise<void> {
  const given = idsOf(entityIds)
  await sql`
    delete from entity_names where organization_id = ${organizationId} and entity_id = any ${given} and items <= 0`.execute(
    tx,
  )
  await sql`
    delete from entity_totals where organization_id = ${organizationId} and entity_id = any ${given} and items <= 0`.execute(
    tx,
  )
  await sql`
    delete from entities e where e.organization_id = ${organizationId} and e.id = any ${given}
      and not exists (select from entity_totals t where t.organization_id = ${organizationId} and t.entity_id = e.id)`.execute(
    tx,
  )
}

/** Removes the mentions of items, which the caller has locked. @returns the removed mentions */
export async function removeMentions(
  tx: Tx,
  organizationId: string,
  itemIds: readonly string[],
): Promise<Mention[]> {
  const { rows } = await sql`
    delete from item_entities where organization_id = ${organizationId}
      and source_item_id = any ${idsOf(itemIds)}
    returning source_item_id as "sourceItemId", entity_id as "entityId", source_id as "sourceId", role, names`.execute(
    tx,
  )
  return z.array(Mention).parse(rows)
}

/** Locks the organization's canvas until the transaction ends, and invalidates cached graphs. */
export async function lockCanvas(tx: Tx, organizationId: string): Promise<void> {
  await sql`
    insert into canvas_work (organization_id) values (${organizationId}) on conflict (organization_id) do nothing`.execute(
    tx,
  )
  await sql`update canvas_work set revision = ${randomUUID()} where organization_id = ${organizationId}`.execute(
    tx,
  )
}
