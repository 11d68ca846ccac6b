import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import { DIMENSIONS_MAX } from '../kernel/limits.ts'

export interface IndexOf {
  organizationId: string
  modelId: number
}

export const NAME_PREFIX = 'chunk_embeddings_near_'

const Parts = z.object({ organizationId: z.uuid().toLowerCase(), modelId: z.int().min(1).max(32_767) })
const Dimensions = z.int().min(1).max(DIMENSIONS_MAX)

/** An index's name, made of a UUID and a number: 60 of PostgreSQL's 63 characters. @throws on anything else */
export function indexName(of: IndexOf): string {
  const { organizationId, modelId } = Parts.parse(of)
  return `${NAME_PREFIX}${organizationId.replaceAll('-', '')}_${modelId}`
}

/** Creates the index concurrently. DDL takes no parameters, so the UUID and the numbers are validated here. */
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

/** The statement that drops an index without blocking others. @throws if the name is not one of these */
export function dropIndex(name: string): RawBuilder<unknown> {
  if (!name.startsWith(NAME_PREFIX)) throw new Error(`${name} is not an approximate index`)
  return sql`drop index concurrently if exists ${sql.id(name)}`
}

/** Vectors as indexed: cast to their dimensions, which an index requires. */
export function indexedVectors(vectors: RawBuilder<unknown>, dimensions: number): RawBuilder<unknown> {
  return sql`${vectors}::halfvec(${sql.lit(Dimensions.parse(dimensions))})`
}
