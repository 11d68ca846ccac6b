import { sql } from 'kysely'
import { z } from 'zod'
import { hasReadyIndex, indexedVectors } from '../approximate-index/index.ts'
import type { Db } from '../database/database.ts'
import { encodeHalfvec } from '../database/halfvec.ts'
import { compared, decideNearest, type Nearest, type NearestQuery, notRemoved } from './find-nearest.ts'

/** Fewer than these are compared one by one as fast; of so few among many the index finds the wrong ones. */
const FEW = 10_000
/** How many nodes of the graph are kept in sight: more find more of the nearest, and take longer (docs/retrieval.md has figures). */
const NODES_IN_SIGHT = 400
/** So many more are proposed than asked for, so that of equally near ones the right ones come first. */
const MORE = 16

const Counted = z.tuple([z.object({ vectors: z.number() })])
const Proposed = z.array(z.object({ itemId: z.string(), position: z.number() }))

/**
 * Finds nearest chunks by the organization's approximate index, if there is one that is ready. The index proposes some of those
 * that scope and filter let pass, and may miss others; the same statement as ever decides about what it proposes.
 * @param few fewer vectors than these in scope are not for the index
 * @returns null where there is no index, few vectors are in scope, or the index does not bring enough of them: then the database
 *   has to compare them all
 */
export async function findByIndex(db: Db, query: NearestQuery, few = FEW): Promise<Nearest | null> {
  const { organizationId, model, limit } = query
  if (!(await hasReadyIndex(db, { organizationId, modelId: model.id }))) return null
  if (!(await hasAtLeast(db, query, few))) return null
  const proposed = await propose(db, query)
  if (proposed.length < limit) return null
  const { nearest } = await decideNearest(db, query, proposed)
  if (nearest.state !== 'found') return nearest
  return nearest.chunks.length < limit ? null : { ...nearest, isApproximate: true }
}

async function hasAtLeast(db: Db, query: NearestQuery, few: number): Promise<boolean> {
  const { rows } = await sql`
    select count(*)::int as vectors from (
      select from chunk_embeddings e
      where e.organization_id = ${query.organizationId} and ${compared(query)} limit ${few}) as counted`.execute(
    db,
  )
  return Counted.parse(rows)[0].vectors >= few
}

/** What the index finds, the nearest first as far as it knows. */
async function propose(db: Db, query: NearestQuery): Promise<z.output<typeof Proposed>> {
  const { organizationId, vector, limit } = query
  return await db.transaction().execute(async (tx) => {
    // Whatever else the planner might think of, it takes the index for the order and looks at the rows in that order.
    await sql`
      select set_config(name, value, true) from (values
        ('hnsw.iterative_scan', 'relaxed_order'), ('hnsw.ef_search', ${String(Math.max(NODES_IN_SIGHT, limit))}),
        ('enable_seqscan', 'off'), ('enable_bitmapscan', 'off'), ('enable_sort', 'off'),
        ('enable_hashjoin', 'off'), ('enable_mergejoin', 'off')) as settings (name, value)`.execute(tx)
    const asked = indexedVectors(sql`${encodeHalfvec(vector)}`, vector.length)
    const nearness = sql`${indexedVectors(sql.ref('e.embedding'), vector.length)} <=> ${asked}`
    const { rows } = await sql`
      select e.source_item_id as "itemId", e.position from chunk_embeddings e
      where e.organization_id = ${organizationId} and ${compared(query)} ${notRemoved(organizationId)}
      order by ${nearness} limit ${limit + MORE}`.execute(tx)
    return Proposed.parse(rows)
  })
}
