import { sql } from 'kysely'
import type { Tx } from '../database/database.ts'
import { encodeHalfvec } from '../database/halfvec.ts'

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
 * The caller bounds how many there are.
 */
export async function insertVectors(
  tx: Tx,
  organizationId: string,
  modelId: number,
  rows: readonly ChunkVector[],
): Promise<void> {
  const chunks = rows.map(({ sourceItemId, position, provider }, n) => ({
    n,
    sourceItemId,
    position,
    provider,
  }))
  const vectors = rows.map(({ vector }, n) => sql`(${sql.lit(n)}, ${encodeHalfvec(vector)}::halfvec)`)
  await sql`
    insert into chunk_embeddings (organization_id, embedding_model_id, source_item_id, position, provider, embedding)
    select ${organizationId}, ${modelId}, r."sourceItemId", r.position, r.provider, v.embedding
    from json_to_recordset(${JSON.stringify(chunks)}::json)
      as r(n int, "sourceItemId" uuid, position int, provider text)
    join (values ${sql.join(vectors)}) as v(n, embedding) on v.n = r.n
    on conflict do nothing`.execute(tx)
}
