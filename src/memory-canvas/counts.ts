import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { z } from 'zod'
import type { Tx } from '../database/database.ts'
import type { StoredEntityType } from '../database/schema.ts'
import { fold, type FoundEntity, NAMING_ROLES } from './extraction/identity.ts'
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

interface Total {
  sourceId: string
  entityId: string
  type: StoredEntityType
  items: number
  authored: number
}

interface Name {
  sourceId: string
  entityId: string
  name: string
  alias: string | null
  words: string
  items: number
}

const ROWS_A_STATEMENT = 500

/** Collects changes to the totals as items start or stop naming entities. */
export class CountChanges {
  readonly #totals = new Map<string, Total>()
  readonly #names = new Map<string, Name>()

  /** An item now names the entity. */
  add(mention: Mention, { type, names }: Pick<FoundEntity, 'type' | 'names'>): void {
    this.#count(mention, 1).type = type
    for (const { name, alias } of names) {
      // Searches must not find a source by a rule version.
      const words = type === 'source' ? '' : fold(name)
      Object.assign(this.#countName(mention, name, 1), { alias, words })
    }
  }

  /** An item no longer names the entity. */
  remove(mention: Mention): void {
    this.#count(mention, -1)
    for (const name of mention.names) this.#countName(mention, name, -1)
  }

  #count({ sourceId, entityId, role }: Mention, by: 1 | -1): Total {
    const key = `${sourceId}${entityId}`
    // The type matters only if the entity is added.
    const total = this.#totals.get(key) ?? { sourceId, entityId, type: 'topic', items: 0, authored: 0 }
    total.items += by
    if (role === 'author') total.authored += by
    this.#totals.set(key, total)
    return total
  }

  #countName({ sourceId, entityId }: Mention, name: string, by: 1 | -1): Name {
    const key = `${sourceId}${entityId}${name}`
    const known = this.#names.get(key) ?? { sourceId, entityId, name, alias: null, words: '', items: 0 }
    known.items += by
    this.#names.set(key, known)
    return known
  }

  /**
   * Writes the changes and deletes what no item names any more. The caller's transaction has locked the
   * organization's canvas.
   */
  async write(tx: Tx, organizationId: string): Promise<void> {
    const totals = [...this.#totals.values()].filter(({ items, authored }) => items !== 0 || authored !== 0)
    const names = [...this.#names.values()].filter(({ items }) => items !== 0)
    for (const part of inParts(totals, ROWS_A_STATEMENT)) await writeTotals(tx, organizationId, part)
    for (const part of inParts(names, ROWS_A_STATEMENT)) await writeNames(tx, organizationId, part)
    const losing = new Set(
      [...totals, ...names].filter(({ items }) => items <= 0).map(({ entityId }) => entityId),
    )
    for (const part of inParts([...losing], ROWS_A_STATEMENT)) await removeUnnamed(tx, organizationId, part)
  }
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
