import type { Db } from '../database/database.ts'
import type { ModelRegistry } from '../embeddings/index.ts'
import type { Clock } from '../kernel/clock.ts'
import { createRetrieveContext, type RetrieveContext } from './context.ts'
import { createSearch, type Search } from './search.ts'

/** Search and context over what an organization remembers. */
export function createRetrieval(deps: { db: Db; models: ModelRegistry; clock: Clock }): {
  search: Search
  context: RetrieveContext
} {
  const search = createSearch(deps)
  return { search, context: createRetrieveContext({ ...deps, search }) }
}

export { createReadingList, type ReadingList } from './reading-list.ts'
export { retrievalRoutes, type RetrievalServices } from './routes.ts'
export type { Search } from './search.ts'
export { Citation, Hit, limit, query, type SearchRequest } from './search-schema.ts'
