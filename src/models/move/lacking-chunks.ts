import { sql } from 'kysely'
import { z } from 'zod'
import type { Db } from '../../database/database.ts'

/** The ids of the next `limit` items by id; `after` null: from the first. */
export async function findItemsAfter(
  db: Db,
  organizationId: string,
  after: string | null,
  limit: number,
): Promise<string[]> {
  let query = db.selectFrom('source_items').select('id').where('organization_id', '=', organizationId)
  if (after !== null) query = query.where('id', '>', after)
  return (await query.orderBy('id').limit(limit).execute()).map((row) => row.id)
}

const LackingChunk = z.object({
  sourceItemId: z.string(),
  position: z.number(),
  provider: z.string(),
  title: z.string(),
  heading: z.string().nullable(),
  content: z.string(),
  /** The item's content hash when the chunk was read, in hex. */
  hash: z.string(),
})
export type LackingChunk = z.output<typeof LackingChunk>
const LackingChunks = z.array(LackingChunk)

/** The chunks of these items without a vector of the model, in order. */
export async function findLackingChunks(
  db: Db,
  organizationId: string,
  modelId: number,
  itemIds: readonly string[],
): Promise<LackingChunk[]> {
  // The sum keeps the planner from reading all vectors of the model for each call, when it knows of none or few.
  const { rows } = await sql`
    select c.source_item_id as "sourceItemId", c.position, i.provider, i.title, c.heading, c.content,
      encode(i.content_sha256, 'hex') as hash
    from source_items i
    join chunks c on c.organization_id = i.organization_id and c.source_item_id = i.id
    where i.organization_id = ${organizationId} and i.id in (${sql.join([...itemIds])})
      and not exists (select from chunk_embeddings e where e.organization_id = c.organization_id
        and e.source_item_id = c.source_item_id and e.position = c.position and e.embedding_model_id + 0 = ${modelId})
    order by c.source_item_id, c.position`.execute(db)
  return LackingChunks.parse(rows)
}
