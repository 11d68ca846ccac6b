import { sql } from 'kysely'
import { z } from 'zod'
import type { Db, Tx } from '../database/database.ts'
import { itemDate } from '../database/item-date.ts'
import type { TermWeights } from '../inference/term-weights.ts'
import type { Pausable } from '../kernel/cooperative.ts'
import { SOURCE_KINDS } from '../kernel/source-kinds.ts'
import { CountChanges, type Mention, removeMentions } from './counts.ts'
import { CHARACTERS_READ, extractingEntities } from './extraction/extract-entities.ts'
import { entityId, type FoundEntity, RANK } from './extraction/identity.ts'

/** Stored bytes of items read together; compressed text expands several times. */
const BYTES_TOGETHER = 64_000

const WaitingRows = z.array(
  z.object({
    id: z.string(),
    provider: z.string(),
    sourceKind: z.enum(SOURCE_KINDS),
    title: z.string(),
    body: z.string(),
    authorName: z.string().nullable(),
    metadata: z.record(z.string(), z.unknown()),
    hash: z.string(),
  }),
)
export type WaitingItem = z.output<typeof WaitingRows>[number]

/** An item with the names in it. With `error`, it could not be read and has no names. */
export interface ReadItem {
  item: WaitingItem
  entities: FoundEntity[]
  error?: unknown
}

const Sizes = z.array(z.object({ id: z.string(), bytes: z.number() }))

/** Some of the organization's items whose current content the canvas has not read. */
export async function findWaitingItems(
  db: Db,
  organizationId: string,
  limit: number,
): Promise<WaitingItem[]> {
  const { rows } = await sql`
    select id, pg_column_size(body) as bytes from source_items
    where organization_id = ${organizationId} and canvas_sha256 is distinct from content_sha256
    order by source_id, id limit ${limit}`.execute(db)
  return await asFarAsRead(db, organizationId, Sizes.parse(rows))
}

/** The first of these items that are still stored; empty: none. */
export async function findItems(
  db: Db,
  organizationId: string,
  ids: readonly string[],
): Promise<WaitingItem[]> {
  const { rows } = await sql`
    select id, pg_column_size(body) as bytes from source_items
    where organization_id = ${organizationId} and id in (${sql.join(ids)}) order by id`.execute(db)
  return await asFarAsRead(db, organizationId, Sizes.parse(rows))
}

/** As many of these items as fit in one batch, each up to the length that extraction reads. */
async function asFarAsRead(
  db: Db,
  organizationId: string,
  sizes: z.output<typeof Sizes>,
): Promise<WaitingItem[]> {
  const ids: string[] = []
  let bytes = 0
  for (const one of sizes) {
    bytes += one.bytes
    if (ids.length > 0 && bytes > BYTES_TOGETHER) break
    ids.push(one.id)
  }
  if (ids.length === 0) return []
  const { rows } = await sql`
    select id, provider, source_kind as "sourceKind", title, left(body, ${CHARACTERS_READ}) as body,
      author_name as "authorName", metadata, encode(content_sha256, 'hex') as hash
    from source_items where organization_id = ${organizationId} and id in (${sql.join(ids)}) order by id`.execute(
    db,
  )
  return WaitingRows.parse(rows)
}

/** What items name. An unreadable item names nothing, so it does not affect the others. */
export function* readingItems(items: readonly WaitingItem[], terms: TermWeights): Pausable<ReadItem[]> {
  const read: ReadItem[] = []
  for (const item of items) {
    try {
      read.push({ item, entities: yield* extractingEntities(item, terms) })
    } catch (error) {
      read.push({ item, entities: [], error })
    }
    yield
  }
  return read
}

const LockedRows = z.array(
  z.object({ id: z.string(), source_id: z.string(), hash: z.string(), seen_at: z.date() }),
)

/** Replaces what items name, under the canvas's lock. Skips items that changed or are changing; they stay queued. */
export async function storeReadItems(
  tx: Tx,
  organizationId: string,
  read: readonly ReadItem[],
  rules: string,
): Promise<void> {
  const hashes = new Map(read.map(({ item: { id, hash } }) => [id, hash]))
  const { rows } = await sql`
    select id, source_id, encode(content_sha256, 'hex') as hash,
      ${sql.raw(itemDate('source_items'))} as seen_at
    from source_items
    where organization_id = ${organizationId} and id in (${sql.join([...hashes.keys()])})
    for update skip locked`.execute(tx)
  const unchanged = LockedRows.parse(rows).filter(({ id, hash }) => hashes.get(id) === hash)
  const locked = new Map(unchanged.map((row) => [row.id, row]))
  if (locked.size === 0) return
  const known = new Map<string, FoundEntity>()
  const mentions: (Mention & { seenAt: Date })[] = []
  const changes = new CountChanges()
  for (const mention of await removeMentions(tx, organizationId, [...locked.keys()])) changes.remove(mention)
  for (const { item, entities } of read) {
    const row = locked.get(item.id)
    if (!row) continue
    for (const entity of [sourceEntity(row.source_id, rules), ...entities]) {
      const id = entity.role === 'source' ? row.source_id : entityId(organizationId, entity.key)
      known.set(id, entity)
      const mention = {
        sourceItemId: item.id,
        entityId: id,
        sourceId: row.source_id,
        role: entity.role,
        names: entity.names.map(({ name }) => name),
        seenAt: row.seen_at,
      }
      changes.add(mention, entity)
      mentions.push(mention)
    }
  }
  await insertEntities(tx, organizationId, known)
  await insertMentions(tx, organizationId, mentions)
  await changes.write(tx, organizationId)
  await sql`
    update source_items set canvas_sha256 = content_sha256
    where organization_id = ${organizationId} and id in (${sql.join([...locked.keys()])})
      and canvas_sha256 is distinct from content_sha256`.execute(tx)
}

/** A source is an entity that each of its items names; the name is the version of the rules that read the item. */
function sourceEntity(sourceId: string, rules: string): FoundEntity {
  return {
    type: 'source',
    key: `source:${sourceId}`,
    alias: null,
    rank: RANK.address,
    role: 'source',
    names: [{ name: rules, alias: null }],
  }
}

async function insertEntities(
  tx: Tx,
  organizationId: string,
  known: ReadonlyMap<string, FoundEntity>,
): Promise<void> {
  const rows = [...known].map(([id, { type, key, alias, rank }]) => ({ id, type, key, alias, rank }))
  await sql`
    insert into entities (organization_id, id, type, key, alias, rank)
    select ${organizationId}, id, type, key, alias, rank
    from json_to_recordset(${JSON.stringify(rows)}::json) as r(id uuid, type text, key text, alias text, rank smallint)
    on conflict (organization_id, id) do nothing`.execute(tx)
}

async function insertMentions(tx: Tx, organizationId: string, mentions: readonly object[]): Promise<void> {
  await sql`
    insert into item_entities (organization_id, source_item_id, entity_id, source_id, role, names, seen_at)
    select ${organizationId}, r."sourceItemId", r."entityId", r."sourceId", r.role,
      array(select json_array_elements_text(r.names)), r."seenAt"
    from json_to_recordset(${JSON.stringify(mentions)}::json) as r("sourceItemId" uuid, "entityId" uuid,
      "sourceId" uuid, role text, names json, "seenAt" timestamptz)`.execute(tx)
}
