import { createBm25 } from './bm25.ts'
import { averageMeasures, DEPTH, measureRanking, type Measures } from './measures.ts'
import { publishedFigures, type PublishedFigure } from './published.ts'
import { rankByWordsToo, rankDocuments } from './rank-documents.ts'
import type { Collection, CollectionQuery } from './read-collection.ts'
import type { Workspace } from './workspaces.ts'

/** The search quality of one collection. */
export interface RetrievalResult {
  collection: string
  documents: number
  queries: number
  /** The embedding model's id. */
  model: string
  service: Measures
  hybrid: Measures
  /** Reading order. */
  reading: Measures
  bm25: Measures
  published: readonly PublishedFigure[]
}

/** Measures the service's search over an ingested collection, and BM25 over the same documents. */
export async function evaluateRetrieval(
  collection: Collection,
  workspace: Workspace,
  model: string,
): Promise<RetrievalResult> {
  const rankByWords = createBm25(collection.documents)
  const byWordsToo =
    (rank: 'hybrid' | 'reading') =>
    ({ text }: CollectionQuery): Promise<string[]> =>
      rankByWordsToo(workspace, text, { rank, limit: DEPTH })
  return {
    collection: collection.name,
    documents: collection.documents.length,
    queries: collection.queries.length,
    model,
    service: await measureAll(collection.queries, ({ text }) => rankDocuments(workspace, text, DEPTH)),
    hybrid: await measureAll(collection.queries, byWordsToo('hybrid')),
    reading: await measureAll(collection.queries, byWordsToo('reading')),
    bm25: await measureAll(collection.queries, ({ text }) => rankByWords(text, DEPTH)),
    published: publishedFigures(collection),
  }
}

async function measureAll(
  queries: readonly CollectionQuery[],
  rank: (query: CollectionQuery) => Promise<string[]> | string[],
): Promise<Measures> {
  const all: Measures[] = []
  for (const query of queries) all.push(measureRanking(await rank(query), query.relevant))
  return averageMeasures(all)
}
