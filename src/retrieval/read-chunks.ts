import { z } from 'zod'
import type { Db } from '../database/database.ts'
import { decodeHalfvec } from '../database/halfvec.ts'
import { prepare } from '../database/prepared.ts'
import type { StoredModel } from '../embeddings/index.ts'

/** Which chunk. */
export interface ChunkKey {
  itemId: string
  position: number
}

const Texts = z.array(
  z.object({ id: z.string(), position: z.number(), title: z.string(), content: z.string() }),
)
const Vectors = z.array(z.object({ id: z.string(), position: z.number(), vector: z.string() }))

const selectTexts = prepare(`
  select k.id, k.position, i.title, c.content
  from unnest($2::text::uuid[], $3::text::int[]) as k(id, position)
  cross join lateral (
    select i.title from source_items i where i.organization_id = $1 and i.id = k.id limit 1) i
  cross join lateral (
    select c.content from chunks c
    where c.organization_id = $1 and c.source_item_id = k.id and c.position = k.position limit 1) c`)

// The sum keeps the planner from looking for the model in another index.
const selectVectors = prepare(`
  select k.id, k.position, encode(halfvec_send(e.embedding), 'base64') as vector
  from unnest($2::text::uuid[], $3::text::int[]) as k(id, position)
  cross join lateral (
    select e.embedding from chunk_embeddings e
    where e.organization_id = $1 and e.source_item_id = k.id and e.position = k.position
      and e.embedding_model_id + 0 = $4
    limit 1) e`)

/** The texts of some chunks with the titles of their items, in any order; one that is gone is left out. */
export async function readTexts(
  db: Db,
  organizationId: string,
  keys: readonly ChunkKey[],
): Promise<z.output<typeof Texts>> {
  const { rows } = await selectTexts(db, [organizationId, ...arraysOfKeys(keys)])
  return Texts.parse(rows)
}

/** The vectors of some chunks as they are stored, in any order; one that is gone is left out. */
export async function readVectors(
  db: Db,
  { organizationId, model }: { organizationId: string; model: StoredModel },
  keys: readonly ChunkKey[],
): Promise<(ChunkKey & { vector: Float16Array })[]> {
  const { rows } = await selectVectors(db, [organizationId, ...arraysOfKeys(keys), model.id])
  return Vectors.parse(rows).map(({ id, position, vector }) => ({
    itemId: id,
    position,
    vector: decodeHalfvec(Buffer.from(vector, 'base64')),
  }))
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
