import { sql } from 'kysely'
import type { Tx } from '../database/database.ts'
import { float4Array } from './vector-parameter.ts'

/** The vector of one chunk. */
export interface ChunkVector {
  sourceItemId: string
  position: number
  provider: string
  /** Unit length, as many numbers as the model has dimensions. */
  vector: Float32Array
}

/**
 * Inserts vectors of one model in one statement; where a chunk has its vector already, that one stays.
 * All have the same length. The caller bounds how many there are.
 */
export async function insertVectors(
  tx: Tx,
  organizationId: string,
  modelId: number,
  rows: readonly ChunkVector[],
): Promise<void> {
  const dimensions = rows[0]?.vector.length ?? 0
  const chunks = rows.map(({ sourceItemId, position, provider }, n) => ({
    n,
    sourceItemId,
    position,
    provider,
  }))
  const numbers = float4Array(rows.map(({ vector }) => vector))
  await sql`
    insert into chunk_embeddings (organization_id, embedding_model_id, source_item_id, position, provider, embedding)
    select ${organizationId}, ${modelId}, r."sourceItemId", r.position, r.provider,
      (${numbers}::float4[])[r.n * ${dimensions}::int + 1 : (r.n + 1) * ${dimensions}::int]::halfvec
    from json_to_recordset(${JSON.stringify(chunks)}::json)
      as r(n int, "sourceItemId" uuid, position int, provider text)
    on conflict do nothing`.execute(tx)
}
