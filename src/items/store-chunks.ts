import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import { z } from 'zod'
import type { Db, Tx } from '../database/database.ts'
import { prepare } from '../database/prepared.ts'
import { insertVectors } from '../models/index.ts'
import type { EmbeddedChunk, PreparedItems } from './prepare-items.ts'
import { inParts } from '../kernel/in-parts.ts'

export interface ChunkRow {
  itemId: string
  provider: string
  chunk: EmbeddedChunk
}

const CHUNKS_A_STATEMENT = 64

const insertRows = prepare(`
  insert into chunks (organization_id, source_item_id, position, heading, content)
  select $1::uuid, id, position, heading, content
  from json_to_recordset($2::json) as r(id uuid, position int, heading text, content text)`)

/** Stores chunks with their vectors. Yields to the event loop between statements. */
export async function insertChunks(
  tx: Tx,
  { organizationId, modelIds }: Pick<PreparedItems, 'organizationId' | 'modelIds'>,
  rows: readonly ChunkRow[],
): Promise<void> {
  for (const batch of inParts(rows, CHUNKS_A_STATEMENT)) {
    await setImmediate()
    const chunks = batch.map(({ itemId: id, chunk: { position, heading, content } }) => ({
      id,
      position,
      heading,
      content,
    }))
    await insertRows(tx, [organizationId, JSON.stringify(chunks)])
    for (const [index, modelId] of modelIds.entries()) {
      const vectors = batch.map(({ itemId, provider, chunk }) => ({
        sourceItemId: itemId,
        provider,
        position: chunk.position,
        vector: vectorOf(chunk, index),
      }))
      await insertVectors(tx, organizationId, modelId, vectors)
    }
  }
}

function vectorOf(chunk: EmbeddedChunk, index: number): Float32Array {
  const vector = chunk.vectors[index]
  if (!vector) throw new Error('a chunk was not embedded')
  return vector
}

export async function deleteChunks(
  tx: Tx,
  organizationId: string,
  itemIds: readonly string[],
): Promise<void> {
  await sql`
    delete from chunks where organization_id = ${organizationId}
      and source_item_id in (select value::uuid from json_array_elements_text(${JSON.stringify(itemIds)}::json))`.execute(
    tx,
  )
}

const deletePositions = prepare(`
  delete from chunks where organization_id = $1 and source_item_id = $2 and position >= $3 and position < $4`)

export async function deleteChunksBetween(
  tx: Tx,
  organizationId: string,
  itemId: string,
  { from, to }: { from: number; to: number },
): Promise<void> {
  await deletePositions(tx, [organizationId, itemId, from, to])
}

/** Limit per statement. */
const ITEMS_A_COUNT = 250
const Counts = z.array(z.object({ id: z.string(), positions: z.int() }))

// One lookup per item, so that no plan reads all chunks of the organization.
const countThem = prepare(`
  select given.id, (select coalesce(max(c.position) + 1, 0) from chunks c
    where c.organization_id = $1 and c.source_item_id = given.id::uuid) as positions
  from json_array_elements_text($2::json) as given(id)`)

export async function countPositions(
  db: Db,
  organizationId: string,
  itemIds: readonly string[],
): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for (const some of inParts(itemIds, ITEMS_A_COUNT)) {
    const { rows } = await countThem(db, [organizationId, JSON.stringify(some)])
    for (const { id, positions } of Counts.parse(rows)) counts.set(id, positions)
  }
  return counts
}
