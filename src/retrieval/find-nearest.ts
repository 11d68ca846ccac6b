import { sql } from 'kysely'
import { z } from 'zod'
import type { Db } from '../database/database.ts'
import type { TermWeights } from '../inference/term-weights.ts'
import { unavailable } from '../kernel/unavailable.ts'
import type { VectorMemory } from '../vector-memory/index.ts'
import { inScope, notRemoved } from './filter-conditions.ts'
import { nearestBy } from './nearest.ts'
import type { Nearest, NearestQuery } from './nearest-query.ts'
import type { Proposer, SearchPath } from './propose/proposal.ts'
import { proposersFor } from './propose/proposers.ts'
import { createRankBy, type RankedChunk, type RankRequest } from './rank/rank-nearest.ts'
import { createReadAhead } from './read-ahead.ts'
import { RowCache } from './row-cache.ts'
import { createReadCandidates } from './rows.ts'

export interface FindNearest {
  /** The chunks nearest to a query; exact unless an operator requested an approximate index. */
  nearest(query: NearestQuery): Promise<Nearest>
  /**
   * The best of the `query.limit` nearest in hybrid order.
   * @throws the reason of `signal`
   */
  ranked(query: NearestQuery, request: RankRequest, signal?: AbortSignal): Promise<Nearest<RankedChunk>>
}

/** Searches the snapshot in memory, else an approximate index, else scans the database. */
export function createFindNearest({
  db,
  terms,
  memory,
  onAnswered = () => {},
}: {
  db: Db
  terms: TermWeights
  memory?: VectorMemory | undefined
  /** Called with the path that answered. */
  onAnswered?: ((path: SearchPath) => void) | undefined
}): FindNearest {
  const cache = new RowCache()
  const readCandidates = createReadCandidates({ db, cache })
  const readAhead = createReadAhead({ db, cache, terms })
  const rankBy = createRankBy({ db, terms, readCandidates })

  const firstAnswer = async <Chunk>(
    query: NearestQuery,
    wanted: number,
    ask: (proposer: Proposer) => Promise<Nearest<Chunk> | null>,
  ): Promise<Nearest<Chunk>> => {
    for await (const proposer of proposersFor(query, { db, memory, readAhead })) {
      const found = await ask(proposer)
      const isTooFew = found?.state === 'found' && found.isApproximate && found.chunks.length < wanted
      if (found === null || isTooFew) continue
      onAnswered(proposer.path)
      return found
    }
    throw unavailable(
      'overloaded',
      'Stored items change faster than they can be searched',
      RETRY_AFTER_SECONDS,
    )
  }

  return {
    nearest: (query) => {
      const countInScope = () => countVectors(db, query)
      return firstAnswer(query, query.limit, (proposer) =>
        nearestBy(proposer, query, { readCandidates, countInScope }),
      )
    },
    ranked: (query, request, signal) => {
      const countInScope = () => countVectors(db, query)
      return firstAnswer(query, request.limit, (proposer) =>
        rankBy(proposer, query, { ...request, countInScope }, signal),
      )
    },
  }
}

/** A scan fails only under constant writes. */
const RETRY_AFTER_SECONDS = 1

const Count = z.tuple([z.object({ compared: z.number() })])

async function countVectors(db: Db, query: NearestQuery): Promise<number> {
  const { rows } = await sql`
    select count(*)::int as compared from chunk_embeddings e
    where e.organization_id = ${query.organizationId} and ${inScope(query)} ${notRemoved(query.organizationId)}`.execute(
    db,
  )
  return Count.parse(rows)[0].compared
}
