import type { Tx } from '../database/database.ts'
import { encodeHalfvec } from '../database/halfvec.ts'
import { prepare, type Prepared } from '../database/prepared.ts'
import { inParts } from '../kernel/in-parts.ts'

export interface ChunkVector {
  sourceItemId: string
  position: number
  provider: string
  /** Unit length, with as many numbers as the model has dimensions. */
  vector: Float32Array
}

/** Vectors per statement. Each number of vectors has its own statement. */
const VECTORS_A_STATEMENT = 64

export async function insertVectors(
  tx: Tx,
  organizationId: string,
  modelId: number,
  rows: readonly ChunkVector[],
): Promise<void> {
  for (const batch of inParts(rows, VECTORS_A_STATEMENT)) {
    const values = batch.flatMap(({ sourceItemId, position, provider, vector }) => [
      sourceItemId,
      position,
      provider,
      encodeHalfvec(vector),
    ])
    await insertionOf(batch.length)(tx, [organizationId, modelId, ...values])
  }
}

const insertions = new Map<number, Prepared<unknown>>()

function insertionOf(count: number): Prepared<unknown> {
  const known = insertions.get(count)
  if (known) return known
  const rows = Array.from({ length: count }, (_, n) => {
    const first = 3 + 4 * n
    return `($1, $2, $${first}, $${first + 1}, $${first + 2}, $${first + 3}::halfvec)`
  })
  const insertion = prepare(`
    insert into chunk_embeddings (organization_id, embedding_model_id, source_item_id, position, provider, embedding)
    values ${rows.join(', ')}
    on conflict do nothing`)
  insertions.set(count, insertion)
  return insertion
}
