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

/** A server has ten connections, of which the rest of the service keeps half. */
const SEARCHES_AT_ONCE = 5
/** Half of what a request may take. */
const WAIT_MAX_MS = 30_000

/**
 * Search and context over what an organization remembers. Organizations take turns, and one leaves a place to others.
 * @param deps.searchesAtOnce how many scans the database can do side by side; 5 if not said
 */
export function createRetrieval(deps: {
  db: Db
  models: ModelRegistry
  clock: Clock
  terms: TermWeights
  searchesAtOnce?: number
  /** Where vectors are held in memory; without it the database compares them all. */
  memory?: VectorMemory
  /** Told of each search what answered it. */
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
