import { z } from 'zod'
import type { Db } from '../database/database.ts'
import { decodeHalfvec } from '../database/halfvec.ts'
import { prepare } from '../database/prepared.ts'
import type { StoredModel } from '../embeddings/index.ts'
import type { ProviderId } from '../kernel/providers.ts'
import { PROVIDERS } from '../providers/index.ts'
import { readChanges } from '../vector-memory/index.ts'

/** Which chunk. */
export interface ChunkKey {
  itemId: string
  position: number
}

/** What is shown of a chunk beside how near it is. */
export interface ShownChunk {
  title: string
  content: string
  url: string | null
  provider: ProviderId
  metadata: Record<string, unknown>
  syncedAt: Date
}

const Row = z.object({
  id: z.string(),
  position: z.number(),
  /** Of the items, when the row was read. */
  revision: z.number(),
})
const Texts = z.array(Row.extend({ title: z.string(), content: z.string() }))
/** The columns of what is shown of a chunk. */
export const ShownColumns = {
  title: z.string(),
  content: z.string(),
  url: z.string().nullable(),
  provider: z.enum(PROVIDERS),
  metadata: z.record(z.string(), z.unknown()),
  synced_at: z.date(),
}
const WholeChunks = z.array(Row.extend({ ...ShownColumns, vector: z.string() }))

const REVISION = `
    coalesce((select r.revision from item_revisions r where r.organization_id = $1), 0)::float8 as revision`

const selectTexts = prepare(`
  select k.id, k.position, i.title, c.content, ${REVISION}
  from unnest($2::text::uuid[], $3::text::int[]) as k(id, position)
  cross join lateral (
    select i.title from source_items i where i.organization_id = $1 and i.id = k.id limit 1) i
  cross join lateral (
    select c.content from chunks c
    where c.organization_id = $1 and c.source_item_id = k.id and c.position = k.position limit 1) c`)

// The sum keeps the planner from looking for the model in another index.
const selectWholeChunks = prepare(`
  select k.id, k.position, encode(halfvec_send(e.embedding), 'base64') as vector,
    i.title, c.content, i.url, i.provider, i.metadata, i.synced_at, ${REVISION}
  from unnest($2::text::uuid[], $3::text::int[]) as k(id, position)
  cross join lateral (
    select e.embedding from chunk_embeddings e
    where e.organization_id = $1 and e.source_item_id = k.id and e.position = k.position
      and e.embedding_model_id + 0 = $4
    limit 1) e
  cross join lateral (
    select i.title, i.url, i.provider, i.metadata, i.synced_at from source_items i
    where i.organization_id = $1 and i.id = k.id limit 1) i
  cross join lateral (
    select c.content from chunks c
    where c.organization_id = $1 and c.source_item_id = k.id and c.position = k.position limit 1) c`)

/** The texts of some chunks with the titles of their items, in any order, all of one revision; one that is gone is left out. */
export async function readTexts(
  db: Db,
  organizationId: string,
  keys: readonly ChunkKey[],
): Promise<z.output<typeof Texts>> {
  const { rows } = await selectTexts(db, [organizationId, ...arraysOfKeys(keys)])
  return Texts.parse(rows)
}

/** All that is kept of a chunk from one search to the next. */
export interface WholeChunk {
  key: ChunkKey
  /** Of the items, when it was read. */
  revision: number
  values: Float16Array
  shown: ShownChunk
}

/** Some chunks as they are stored, in any order, all of one revision; one that is gone is left out. */
export async function readWholeChunks(
  db: Db,
  { organizationId, model }: { organizationId: string; model: StoredModel },
  keys: readonly ChunkKey[],
): Promise<WholeChunk[]> {
  const { rows } = await selectWholeChunks(db, [organizationId, ...arraysOfKeys(keys), model.id])
  return WholeChunks.parse(rows).map(({ id, position, revision, vector, synced_at: syncedAt, ...shown }) => ({
    key: { itemId: id, position },
    revision,
    values: decodeHalfvec(Buffer.from(vector, 'base64')),
    shown: { ...shown, syncedAt },
  }))
}

/** Whether the items of chunks were the same from one revision to another one, as far as that is told. */
export async function areUnchanged(
  db: Db,
  organizationId: string,
  keys: readonly ChunkKey[],
  { from, to }: { from: number; to: number },
): Promise<boolean> {
  if (to === from) return true
  const { itemIds } = await readChanges(db, organizationId, from)
  return itemIds !== null && !keys.some(({ itemId }) => itemIds.has(itemId))
}

/** Keys as two arrays that PostgreSQL reads. */
export function arraysOfKeys(keys: readonly ChunkKey[]): [ids: string, positions: string] {
  return [arrayOf(keys.map(({ itemId }) => itemId)), arrayOf(keys.map(({ position }) => position))]
}

/** An array as PostgreSQL reads it, of values that need no quotes. */
function arrayOf(values: readonly (string | number)[]): string {
  return `{${values.join(',')}}`
}

/** A key as one word. */
export function keyText({ itemId, position }: ChunkKey): string {
  return `${itemId}:${position}`
}
