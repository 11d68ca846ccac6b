import { sql } from 'kysely'
import { z } from 'zod'
import type { Db } from '../../database/database.ts'
import { decodeHalfvec, encodeHalfvec } from '../../database/halfvec.ts'
import { createCoarse } from '../../vector-memory/index.ts'
import { inScope, notRemoved } from '../filter-conditions.ts'
import { byKey, type NearestQuery } from '../nearest-query.ts'
import { distanceError } from '../score.ts'
import type { Proposal, Proposer, RankCandidate } from './proposal.ts'

/** Extra candidates: pgvector sums in 32 bits, so near ties may come in another order. */
const MARGIN = 8
/** Further ties are taken in the database's order, by item and position. */
const PROPOSED_MAX = 4_096

const Row = z.object({
  revision: z.number(),
  id: z.string().nullable(),
  position: z.number().nullable(),
  distance: z.number().nullable(),
  vector: z.string().nullable(),
})
const Rows = z.array(Row)

/** Vectors without length have no distance and opposite ones no score; the rest allows for rounding. */
const NO_FURTHER = 1.01

interface Scanned {
  revision: number
  rows: { itemId: string; position: number; atMost: number; vector: string | null }[]
}

/** Members common to proposers without memory. */
export const DATABASE_ONLY = {
  knowsRemovedSources: true,
  cachesRows: false,
  confirm() {},
  catchUp: async () => true,
  count: () => null,
  keepWords() {},
  missedRows() {},
  missedWords() {},
} as const

/** Proposes by an exact scan of the organization's vectors in the database, within scope and filter. */
export function createScanProposer(db: Db, query: NearestQuery): Proposer {
  const margin = distanceError(query.vector.length)
  return {
    path: 'database',
    ...DATABASE_ONLY,
    async propose(limit) {
      const wanted = Math.min(PROPOSED_MAX, limit + MARGIN)
      const { revision, rows } = await scan(db, query, wanted, { withVectors: false })
      const candidates = rows.map(({ itemId, position, atMost }) => ({
        itemId,
        position,
        atMost: atMost + margin,
        version: null,
        row: null,
      }))
      const isAll = rows.length < wanted || wanted === PROPOSED_MAX
      return {
        candidates,
        floor: isAll ? 0 : (candidates.at(-1)?.atMost ?? 0),
        revision,
        isCurrent: false,
        stage: null,
      }
    },
    async proposeForRank() {
      const { revision, rows } = await scan(db, query, PROPOSED_MAX, { withVectors: true })
      return { ...rankProposal(query, rows), revision }
    },
  }
}

/** Compares rows by their quantized vectors, as a snapshot does. */
export function rankProposal(
  query: NearestQuery,
  rows: readonly { itemId: string; position: number; vector: string | null }[],
): Proposal<RankCandidate> {
  const coarse = createCoarse(query.vector, query.meaning)
  const candidates: RankCandidate[] = []
  for (const { itemId, position, vector } of rows) {
    const near = coarse(decodeHalfvec(Buffer.from(vector ?? '', 'hex')))
    if (near.cosine > 0) candidates.push({ itemId, position, version: null, row: null, words: null, ...near })
  }
  candidates.sort((a, b) => b.cosine - a.cosine || byKey(a, b))
  return { candidates, floor: 0, revision: 0, isCurrent: false, stage: null }
}

async function scan(
  db: Db,
  query: NearestQuery,
  limit: number,
  { withVectors }: { withVectors: boolean },
): Promise<Scanned> {
  const { organizationId } = query
  const carried = withVectors ? sql`, e.embedding` : sql``
  const vector = withVectors ? sql`encode(halfvec_send(n.embedding), 'hex')` : sql`null`
  const { rows } = await sql`
    with nearest as materialized (
      select e.source_item_id, e.position, e.embedding <=> ${encodeHalfvec(query.vector)}::halfvec as distance ${carried}
      from chunk_embeddings e
      where e.organization_id = ${organizationId} and ${inScope(query)} ${notRemoved(organizationId)}
      order by distance, e.source_item_id, e.position
      limit ${limit}
    )
    select coalesce((select r.revision from item_revisions r where r.organization_id = ${organizationId}), 0)::float8 as revision,
      n.source_item_id as id, n.position, n.distance::float8 as distance, ${vector} as vector
    from organizations o
    left join nearest n on n.distance < ${NO_FURTHER}
    where o.id = ${organizationId}
    order by n.distance, n.source_item_id, n.position`.execute(db)
  const parsed = Rows.parse(rows)
  return {
    revision: parsed[0]?.revision ?? 0,
    rows: parsed.flatMap((row) =>
      row.id === null || row.position === null
        ? []
        : [{ itemId: row.id, position: row.position, atMost: 1 - (row.distance ?? 1), vector: row.vector }],
    ),
  }
}
