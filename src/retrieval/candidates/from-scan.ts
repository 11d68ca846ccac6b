import { sql } from 'kysely'
import { z } from 'zod'
import type { Db } from '../../database/database.ts'
import { encodeHalfvec } from '../../database/halfvec.ts'
import { prepare } from '../../database/prepared.ts'
import { inParts } from '../../kernel/in-parts.ts'
import type { Candidate } from '../../vector-memory/index.ts'
import { compareVectors, distanceError, ROWS_A_BLOCK } from '../../vector-scan/index.ts'
import { inScope, notRemoved } from '../scope-conditions.ts'
import type { CandidateSource, NearestQuery } from '../nearest-query.ts'
import { keyArrays } from '../read-rows.ts'

/** Extra candidates: pgvector sums in 32 bits, so near ties can have another order. */
const MARGIN = 8
/** Further ties are cut off in the database's order, by item and position. */
const CANDIDATES_MAX = 4_096

/** A candidate's vector, read from the database. */
export const CandidateRow = z.object({ id: z.string(), position: z.number(), vector: z.string() })
const CandidateRows = z.array(CandidateRow)

const Scanned = z.object({ revision: z.number(), distance: z.number().nullable() })
const Near = Scanned.extend({ id: z.string(), position: z.number(), distance: z.number() })
const Rows = z.array(z.union([Near, Scanned.extend({ id: z.null() })]))

/** The maximum distance of a candidate: zero vectors have none, opposite ones no score. With room for rounding. */
const NO_FURTHER = 1.01

/** Candidates from an exact scan in the database, within scope and filter. `isRanked`: for the hybrid order. */
export function createScanSource(db: Db, query: NearestQuery, isRanked: boolean): CandidateSource {
  return {
    path: 'database',
    held: null,
    async findCandidates(limit) {
      // A second call means that the margin has too few rows for the near ties. There can be thousands.
      const isAgain = limit > query.limit
      const wanted = isRanked || isAgain ? CANDIDATES_MAX : Math.min(CANDIDATES_MAX, limit + MARGIN)
      const rows = Rows.parse(await scan(db, query, wanted))
      const found = rows.filter((row) => row.id !== null)
      const isAll = found.length < wanted || wanted === CANDIDATES_MAX
      const error = distanceError(query.vector.length)
      return {
        candidates: isRanked ? await readAndCompare(db, query, found) : found.map((row) => near(row, error)),
        restUpperBound: isAll ? 0 : 1 - (found.at(-1)?.distance ?? 1) + error,
        revision: rows[0]?.revision ?? 0,
        removedSourceIds: [],
        count: null,
      }
    },
  }
}

function near({ id, position, distance }: z.output<typeof Near>, error: number): Candidate {
  const cosine = 1 - distance
  return { itemId: id, position, version: null, cosine, upperBound: cosine + error, meaning: null }
}

const selectVectors = prepare(`
  select k.id, k.position, encode(halfvec_send(e.embedding), 'hex') as vector
  from unnest($3::text::uuid[], $4::text::int[]) as k(id, position)
  cross join lateral (
    select e.embedding from chunk_embeddings e
    where e.organization_id = $1 and e.source_item_id = k.id and e.position = k.position
      and e.embedding_model_id + 0 = $2
    limit 1) e`)

/**
 * Reads the vectors a few at a time, because receiving all at once blocks the event loop. A later read of the candidates'
 * rows finds items that change between the statements.
 */
async function readAndCompare(
  db: Db,
  query: NearestQuery,
  found: readonly z.output<typeof Near>[],
): Promise<Candidate[]> {
  const candidates: Candidate[] = []
  for (const part of inParts(found, ROWS_A_BLOCK)) {
    const keys = keyArrays(part.map(({ id, position }) => ({ itemId: id, position })))
    const { rows } = await selectVectors(db, [query.organizationId, query.model.id, ...keys])
    candidates.push(...compareRows(query, CandidateRows.parse(rows)))
  }
  return candidates
}

/** Compares the quantized vectors, as a snapshot does. */
export function compareRows(
  query: NearestQuery,
  rows: readonly z.output<typeof CandidateRow>[],
): Candidate[] {
  const vectors = rows.map(({ vector }) => Buffer.from(vector, 'hex'))
  return compareVectors(vectors, query).flatMap(([at, similarity]): Candidate[] => {
    const row = rows[at]
    return row ? [{ itemId: row.id, position: row.position, version: null, ...similarity }] : []
  })
}

async function scan(db: Db, query: NearestQuery, limit: number): Promise<unknown> {
  const { organizationId, vector } = query
  const { rows } = await sql`
    with nearest as materialized (
      select e.source_item_id as id, e.position, e.embedding <=> ${encodeHalfvec(vector)}::halfvec as distance
      from chunk_embeddings e
      where e.organization_id = ${organizationId} and ${inScope(query)} ${notRemoved(organizationId)}
      order by distance, e.source_item_id, e.position
      limit ${limit}
    )
    select coalesce((select r.revision from item_revisions r where r.organization_id = ${organizationId}), 0)::float8 as revision,
      n.id, n.position, n.distance
    from organizations o
    left join nearest n on n.distance < ${NO_FURTHER}
    where o.id = ${organizationId}
    order by n.distance, n.id, n.position`.execute(db)
  return rows
}
