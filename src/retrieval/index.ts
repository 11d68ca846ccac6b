import type { Db } from '../database/database.ts'
import type { ModelRegistry } from '../models/index.ts'
import type { TermWeights } from '../inference/term-weights.ts'
import type { Clock } from '../kernel/clock.ts'
import { createFairLimit } from '../kernel/fair-limit.ts'
import { createRetrieveContext, type RetrieveContext } from './context.ts'
import { createFindNearest } from './find-nearest.ts'
import type { SearchPath } from './propose/proposal.ts'
import { createSearch, type Search } from './search.ts'
import type { VectorMemory } from '../vector-memory/index.ts'

/** The service has ten connections; half of them stay free for other work. */
const SEARCHES_AT_ONCE = 5
/** Half of a request's time limit. */
const WAIT_MAX_MS = 30_000

/**
 * Search and context over an organization's memory. Organizations alternate, and each leaves a slot to
 * others.
 * @param deps.searchesAtOnce concurrent scans of the database; default 5
 */
export function createRetrieval(deps: {
  db: Db
  models: ModelRegistry
  clock: Clock
  terms: TermWeights
  searchesAtOnce?: number
  /** Holds vectors in memory; without it the database compares them all. */
  memory?: VectorMemory
  /** Called with the path that answered each search. */
  onAnswered?: (path: SearchPath) => void
}): {
  search: Search
  context: RetrieveContext
} {
  const concurrency = deps.searchesAtOnce ?? SEARCHES_AT_ONCE
  const admit = createFairLimit({
    what: 'Searches',
    concurrency,
    concurrencyPerOwner: Math.max(1, concurrency - 1),
    waitMaxMs: WAIT_MAX_MS,
  })
  const search = createSearch({ ...deps, admit, findNearest: createFindNearest(deps) })
  return { search, context: createRetrieveContext({ ...deps, search }) }
}

export { APPROXIMATE_SEARCH, type Limitation, Limitations, WEAK_EVIDENCE } from './limitations-schema.ts'
export { retrievedOf } from './retrieved.ts'
export { retrievalRoutes, type RetrievalServices } from './routes.ts'
export { createEvidenceCalibrator, type EvidenceCalibrator } from './own-calibration/index.ts'
export type { Search, SearchFor } from './search.ts'
export { unmentionedNames } from './unmentioned-names.ts'
export { evidenceOf } from './weak-evidence.ts'
export { AGE_SHARE, freshness } from './rank/by-age.ts'
export { Citation, Hit, limit, query, recency, type SearchRequest } from './search-schema.ts'
