import { sql } from 'kysely'
import { z } from 'zod'
import type { Db } from '../database/database.ts'
import type { TermWeights } from '../inference/term-weights.ts'
import { unavailable } from '../kernel/unavailable.ts'
import type { VectorMemory } from '../vector-memory/index.ts'
import { inScope, notRemoved } from './scope-conditions.ts'
import { nearestFrom } from './nearest.ts'
import type { Nearest, NearestQuery, CandidateSource, SearchPath } from './nearest-query.ts'
import { createIndexSource } from './candidates/from-index.ts'
import { createScanSource } from './candidates/from-scan.ts'
import { createSnapshotSource } from './candidates/from-snapshot.ts'
import { createRankBy, type RankedChunk, type RankRequest } from './rank/rank-nearest.ts'
import { createReadWords } from './rank/read-words.ts'
import { createReadAhead } from './read-ahead.ts'
import { RowCache } from './row-cache.ts'
import { createReadCandidates } from './read-candidates.ts'

/** Tries a second snapshot if the first was dropped because it was too far behind. */
const SNAPSHOTS_MAX = 2
/** If more items name an entity, the database filters them itself. */
const NAMED_ITEMS_MAX = 50_000

/** The size of the word cache, as a share of the vectors' memory. */
export const WORDS_SHARE = 1 / 8

/** A scan fails only under constant writes. */
const RETRY_AFTER_SECONDS = 1

export interface FindNearest {
  /** The chunks nearest to a query. Exact unless an operator requested an approximate index. */
  nearest(query: NearestQuery): Promise<Nearest>
  /** The best of the `query.limit` nearest in hybrid order. @throws the reason of `signal` */
  ranked(query: NearestQuery, request: RankRequest, signal?: AbortSignal): Promise<Nearest<RankedChunk>>
}

/** Searches the snapshot in memory, else an approximate index, else scans the database. */
export function createFindNearest({
  db,
  terms,
  memory,
  onSearched = () => {},
}: {
  db: Db
  terms: TermWeights
  memory?: VectorMemory | undefined
  /** Called with the search path that produced the result. */
  onSearched?: ((path: SearchPath) => void) | undefined
}): FindNearest {
  const cache = new RowCache((memory?.bytes ?? 0) * WORDS_SHARE)
  const readWords = createReadWords({ db, terms, cache })
  const readAhead = createReadAhead({ db, cache, readWords })
  const readCandidates = createReadCandidates({ db, cache, ...readAhead })
  const rankBy = createRankBy({ db, terms, readCandidates, readWords, ...readAhead })

  const firstAnswer = async <Chunk>(
    query: NearestQuery,
    { wanted, isRanked }: { wanted: number; isRanked: boolean },
    ask: (source: CandidateSource) => Promise<Nearest<Chunk> | null>,
  ): Promise<Nearest<Chunk>> => {
    for await (const source of sourcesFor({ db, memory }, query, isRanked)) {
      const found = await ask(source)
      const isTooFew = found?.state === 'found' && found.isApproximate && found.chunks.length < wanted
      if (found === null || isTooFew) continue
      onSearched(source.path)
      return found
    }
    throw unavailable(
      'overloaded',
      'Stored items change faster than they can be searched',
      RETRY_AFTER_SECONDS,
    )
  }

  return {
    nearest: (asked) => {
      // Only the hybrid order uses the meaning part.
      const query = { ...asked, meaning: null }
      const countInScope = () => countVectors(db, query)
      return firstAnswer(query, { wanted: query.limit, isRanked: false }, (source) =>
        nearestFrom(source, query, { readCandidates, countInScope }),
      )
    },
    ranked: (query, request, signal) => {
      const countInScope = () => countVectors(db, query)
      return firstAnswer(query, { wanted: request.limit, isRanked: true }, (source) =>
        rankBy(source, query, { ...request, countInScope }, signal),
      )
    },
  }
}

/** The candidate sources for a query, fastest first. The last one, a database scan, always has a result. */
async function* sourcesFor(
  { db, memory }: { db: Db; memory: VectorMemory | undefined },
  query: NearestQuery,
  isRanked: boolean,
): AsyncGenerator<CandidateSource, void, void> {
  if (memory) yield* snapshotSources({ db, memory }, query, isRanked)
  // An index's results depend on chunks that the user may not be allowed to read.
  const byIndex = query.readable.isEverything ? await createIndexSource(db, query) : null
  if (byIndex) yield byIndex
  yield createScanSource(db, query, isRanked)
}

async function* snapshotSources(
  { db, memory }: { db: Db; memory: VectorMemory },
  query: NearestQuery,
  isRanked: boolean,
): AsyncGenerator<CandidateSource, void, void> {
  const itemIds = await namedItems(db, query)
  if (itemIds === undefined) return
  const { organizationId, model, vector } = query
  for (let tries = 1; tries <= SNAPSHOTS_MAX; tries++) {
    const held = await memory.take({ organizationId, modelId: model.id, dimensions: vector.length })
    if (held === null) return
    try {
      yield createSnapshotSource(held, query, { itemIds, isRanked })
      if (!held.isDropped) return
    } finally {
      held.release()
    }
  }
}

const Named = z.array(z.object({ source_item_id: z.string() }))

/** The items that name the filter's entity; null: no entity in the filter; undefined: too many. */
async function namedItems(
  db: Db,
  { organizationId, entityIds }: NearestQuery,
): Promise<string[] | null | undefined> {
  if (entityIds === null) return null
  const { rows } = await sql`
    select distinct n.source_item_id from item_entities n
    where n.organization_id = ${organizationId} and n.entity_id in (${sql.join([...entityIds])})
    limit ${NAMED_ITEMS_MAX + 1}`.execute(db)
  return rows.length > NAMED_ITEMS_MAX ? undefined : Named.parse(rows).map((row) => row.source_item_id)
}

const Count = z.tuple([z.object({ compared: z.number() })])

async function countVectors(db: Db, query: NearestQuery): Promise<number> {
  const { rows } = await sql`
    select count(*)::int as compared from chunk_embeddings e
    where e.organization_id = ${query.organizationId} and ${inScope(query)} ${notRemoved(query.organizationId)}`.execute(
    db,
  )
  return Count.parse(rows)[0].compared
}
