import { sql } from 'kysely'
import { z } from 'zod'
import { hasReadyIndex, indexedVectors } from '../../approximate-index/index.ts'
import type { Db } from '../../database/database.ts'
import { encodeHalfvec } from '../../database/halfvec.ts'
import { inScope, notRemoved } from '../scope-conditions.ts'
import type { CandidateSource, NearestQuery } from '../nearest-query.ts'
import { CandidateRow, compareRows } from './from-scan.ts'

/** With fewer vectors in scope, a scan is as fast and the index is less accurate. */
export const FEW_VECTORS = 10_000
/** The candidates that a graph search tracks (`ef_search`). More improve recall and take longer. */
const NODES_IN_SIGHT = 400
/** Extra candidates, so that ties are in the correct order. */
const MARGIN = 16

const Counted = z.tuple([z.object({ vectors: z.number() })])
const Rows = z.array(CandidateRow.extend({ revision: z.number() }))

/** Candidates from the approximate index; null without a ready one, or with under `few` vectors in scope. */
export async function createIndexSource(
  db: Db,
  query: NearestQuery,
  few = FEW_VECTORS,
): Promise<CandidateSource | null> {
  const { organizationId, model } = query
  if (!(await hasReadyIndex(db, { organizationId, modelId: model.id }))) return null
  if (!(await hasAtLeast(db, query, few))) return null
  return {
    path: 'approximate',
    held: null,
    async findCandidates(limit) {
      const rows = await nearestByIndex(db, query, limit)
      if (rows.length < limit) return null
      const candidates = compareRows(query, rows)
      const revision = rows[0]?.revision ?? 0
      return { candidates, restUpperBound: 0, revision, removedSourceIds: [], count: null }
    },
  }
}

async function hasAtLeast(db: Db, query: NearestQuery, few: number): Promise<boolean> {
  const { rows } = await sql`
    select count(*)::int as vectors from (
      select from chunk_embeddings e
      where e.organization_id = ${query.organizationId} and ${inScope(query)} limit ${few}) as counted`.execute(
    db,
  )
  return Counted.parse(rows)[0].vectors >= few
}

/** The index's results, in its order. */
async function nearestByIndex(db: Db, query: NearestQuery, limit: number): Promise<z.output<typeof Rows>> {
  const { organizationId, vector } = query
  return await db.transaction().execute(async (tx) => {
    // Makes the planner use the index for the order and filter rows in that order.
    await sql`
      select set_config(name, value, true) from (values
        ('hnsw.iterative_scan', 'relaxed_order'), ('hnsw.ef_search', ${String(Math.max(NODES_IN_SIGHT, limit))}),
        ('enable_seqscan', 'off'), ('enable_bitmapscan', 'off'), ('enable_sort', 'off'),
        ('enable_hashjoin', 'off'), ('enable_mergejoin', 'off')) as settings (name, value)`.execute(tx)
    const asked = indexedVectors(sql`${encodeHalfvec(vector)}`, vector.length)
    const distance = sql`${indexedVectors(sql.ref('e.embedding'), vector.length)} <=> ${asked}`
    const { rows } = await sql`
      select e.source_item_id as id, e.position, encode(halfvec_send(e.embedding), 'hex') as vector,
        coalesce((select r.revision from item_revisions r where r.organization_id = ${organizationId}), 0)::float8 as revision
      from chunk_embeddings e
      where e.organization_id = ${organizationId} and ${inScope(query)} ${notRemoved(organizationId)}
      order by ${distance} limit ${limit + MARGIN}`.execute(tx)
    return Rows.parse(rows)
  })
}
