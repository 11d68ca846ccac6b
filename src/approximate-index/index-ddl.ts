import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'

/** What an index is of: an organization's vectors of one model. */
export interface IndexOf {
  organizationId: string
  modelId: number
}

/** More cannot be indexed (https://github.com/pgvector/pgvector#half-precision-indexing), and no model has more. */
const DIMENSIONS_MAX = 4_000

/** How the names of all these indexes begin. */
export const NAME_PREFIX = 'chunk_embeddings_near_'

const Parts = z.object({ organizationId: z.uuid().toLowerCase(), modelId: z.int().min(1).max(32_767) })
const Dimensions = z.int().min(1).max(DIMENSIONS_MAX)

/** An index's name: 60 of the 63 characters that PostgreSQL keeps, of a UUID and a number alone. Throws at anything else. */
export function indexName(of: IndexOf): string {
  const { organizationId, modelId } = Parts.parse(of)
  return `${NAME_PREFIX}${organizationId.replaceAll('-', '')}_${modelId}`
}

/**
 * The statement that makes the index. A definition takes no parameters: what stands in it is a UUID and numbers, checked here.
 * Concurrently nobody waits for it, and it may be part of no transaction.
 */
export function createIndex(
  of: IndexOf,
  { dimensions, isConcurrent }: { dimensions: number; isConcurrent: boolean },
): RawBuilder<unknown> {
  const { organizationId, modelId } = Parts.parse(of)
  const vectors = indexedVectors(sql.ref('embedding'), dimensions)
  return sql`create index ${isConcurrent ? sql`concurrently` : sql``} ${sql.id(indexName(of))} on chunk_embeddings
    using hnsw ((${vectors}) halfvec_cosine_ops)
    where organization_id = ${sql.lit(organizationId)} and embedding_model_id = ${sql.lit(modelId)}`
}

/** The statement that drops an index, in nobody's way. Throws at a name that is none of these. */
export function dropIndex(name: string): RawBuilder<unknown> {
  if (!name.startsWith(NAME_PREFIX)) throw new Error(`${name} is no approximate index`)
  return sql`drop index concurrently if exists ${sql.id(name)}`
}

/** Vectors as they are indexed: with their dimensions, without which there is no index on them. */
export function indexedVectors(vectors: RawBuilder<unknown>, dimensions: number): RawBuilder<unknown> {
  return sql`${vectors}::halfvec(${sql.lit(Dimensions.parse(dimensions))})`
}
