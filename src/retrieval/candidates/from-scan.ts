import { sql } from 'kysely'
import { z } from 'zod'
import type { Db } from '../../database/database.ts'
import { encodeHalfvec } from '../../database/halfvec.ts'
import { type Pausable, runCooperatively } from '../../kernel/cooperative.ts'
import { inParts } from '../../kernel/in-parts.ts'
import type { Candidate, CandidateSet } from '../../vector-memory/index.ts'
import { compareVectors, distanceError, ROWS_A_BLOCK } from '../../vector-scan/index.ts'
import { inScope, notRemoved } from '../scope-conditions.ts'
import type { CandidateSource, NearestQuery } from '../nearest-query.ts'

/** Extra candidates: pgvector sums in 32 bits, so near ties can have another order. */
const MARGIN = 8
/** Further ties are cut off in the database's order, by item and position. */
const CANDIDATES_MAX = 4_096

/** A candidate's vector, read from the database. */
export const CandidateRow = z.object({ id: z.string(), position: z.number(), vector: z.string() })

const Scanned = z.object({ revision: z.number(), distance: z.number().nullable() })
const Rows = z.array(z.union([Scanned.extend(CandidateRow.shape), Scanned.extend({ id: z.null() })]))

/** The maximum distance of a candidate: zero vectors have none, opposite ones no score. With room for rounding. */
const NO_FURTHER = 1.01

/** Candidates from an exact scan in the database, within scope and filter. `isRanked`: for the hybrid order. */
export function createScanSource(db: Db, query: NearestQuery, isRanked: boolean): CandidateSource {
  return {
    path: 'database',
    held: null,
    async findCandidates(limit) {
      const wanted = isRanked ? CANDIDATES_MAX : Math.min(CANDIDATES_MAX, limit + MARGIN)
      const rows = Rows.parse(await scan(db, query, wanted))
      const found = rows.filter((row) => row.id !== null)
      const isAll = found.length < wanted || wanted === CANDIDATES_MAX
      const furthest = 1 - (found.at(-1)?.distance ?? 1) + distanceError(query.vector.length)
      return {
        ...(await candidateSetOf(query, found, rows[0]?.revision ?? 0)),
        restUpperBound: isAll ? 0 : furthest,
      }
    },
  }
}

/** Compares the quantized vectors, as a snapshot does. */
export async function candidateSetOf(
  query: NearestQuery,
  rows: readonly z.output<typeof CandidateRow>[],
  revision: number,
): Promise<CandidateSet> {
  const candidates = await runCooperatively(comparing(query, rows))
  return { candidates, restUpperBound: 0, revision, removedSourceIds: [], count: null }
}

function* comparing(
  query: NearestQuery,
  rows: readonly z.output<typeof CandidateRow>[],
): Pausable<Candidate[]> {
  const candidates: Candidate[] = []
  for (const part of inParts(rows, ROWS_A_BLOCK)) {
    yield
    const vectors = part.map(({ vector }) => Buffer.from(vector, 'hex'))
    for (const [at, similarity] of compareVectors(vectors, query)) {
      const row = part[at]
      if (row) candidates.push({ itemId: row.id, position: row.position, version: null, ...similarity })
    }
  }
  return candidates
}

async function scan(db: Db, query: NearestQuery, limit: number): Promise<unknown> {
  const { organizationId, model, vector } = query
  // Sorts without the vectors: with them, the rows of a hybrid search exceed work_mem, and PostgreSQL writes all of them
  // to disk. The sum keeps the planner from looking up the model in another index.
  const { rows } = await sql`
    with nearest as materialized (
      select e.source_item_id, e.position, e.embedding <=> ${encodeHalfvec(vector)}::halfvec as distance
      from chunk_embeddings e
      where e.organization_id = ${organizationId} and ${inScope(query)} ${notRemoved(organizationId)}
      order by distance, e.source_item_id, e.position
      limit ${limit}
    ),
    found as materialized (
      select n.source_item_id as id, n.position, n.distance::float8 as distance, v.vector
      from nearest n
      cross join lateral (
        select encode(halfvec_send(v.embedding), 'hex') as vector from chunk_embeddings v
        where v.organization_id = ${organizationId} and v.source_item_id = n.source_item_id and v.position = n.position
          and v.embedding_model_id + 0 = ${model.id}
        limit 1
      ) v
      where n.distance < ${NO_FURTHER}
    )
    select coalesce((select r.revision from item_revisions r where r.organization_id = ${organizationId}), 0)::float8 as revision,
      f.id, f.position, f.distance, f.vector
    from organizations o
    left join found f on true
    where o.id = ${organizationId}
    order by f.distance, f.id, f.position`.execute(db)
  return rows
}
