import type { Db } from '../database/database.ts'
import type { ModelRegistry } from '../models/index.ts'
import type { TermWeights } from '../inference/term-weights.ts'
import type { Clock } from '../kernel/clock.ts'
import { createFairLimit } from '../kernel/fair-limit.ts'
import { createFindNearest } from './find-nearest.ts'
import type { SearchPath } from './nearest-query.ts'
import { createSearch, type Search } from './search.ts'
import type { VectorMemory } from '../vector-memory/index.ts'

/*
 * A search: `search.ts` embeds the query with the organization's model, `find-nearest.ts` chooses a source of
 * candidates, `read-candidates.ts` gets their rows, `nearest.ts` scores them, and `rank/` produces the hybrid order
 * (docs/explanation/retrieval.md).
 */

/** Half of the service's ten database connections, so that other work is not blocked. */
const SEARCHES_AT_ONCE = 5
/** Half of a request's time limit. */
const WAIT_MAX_MS = 30_000

/** Search over an organization's memory; organizations alternate. `searchesAtOnce`: concurrent scans. */
export function createRetrieval(deps: {
  db: Db
  models: ModelRegistry
  clock: Clock
  terms: TermWeights
  searchesAtOnce?: number
  /** Holds vectors in memory. Without it, the database compares them all. */
  memory?: VectorMemory
  /** Called with the path of each search. */
  onSearched?: (path: SearchPath) => void
}): {
  search: Search
} {
  const concurrency = deps.searchesAtOnce ?? SEARCHES_AT_ONCE
  const admit = createFairLimit({
    what: 'searches',
    concurrency,
    concurrencyPerOwner: Math.max(1, concurrency - 1),
    waitMaxMs: WAIT_MAX_MS,
  })
  return { search: createSearch({ ...deps, admit, findNearest: createFindNearest(deps) }) }
}

export {
  EXAMPLE_QUERY,
  retrievalRoutes,
  type RetrievalServices,
  retrievedOf,
  searchingRoute,
} from './routes.ts'
export { providersInScope, type Search, type SearchFor, type SearchResult } from './search.ts'
export { AGE_SHARE, freshness } from './rank/by-age.ts'
export { Hit, hitLimit, query, recency, type SearchRequest } from './schemas.ts'
