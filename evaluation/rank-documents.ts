import type { Hit } from '../src/retrieval/index.ts'
import { documentOf, type Workspace } from './workspaces.ts'

/** Initial number of chunks, doubled while they have too few documents. */
const CHUNKS_AT_FIRST = 50
/** Chunks in a hybrid order. */
const CHUNKS_ORDERED = 200

/**
 * The first `limit` documents of a search, each at its best chunk. Ties by document id, because the service
 * breaks them by item ids, which differ between runs.
 */
export async function rankDocuments(workspace: Workspace, query: string, limit: number): Promise<string[]> {
  for (let chunks = CHUNKS_AT_FIRST; ; chunks *= 2) {
    const hits = await workspace.search(query, chunks, 'vector')
    const ranking = bestChunks(hits)
    const isComplete = hits.length < chunks
    // Documents tied with the last hit may be missing.
    const isSettled = (ranking[limit - 1]?.score ?? 0) > (hits.at(-1)?.score ?? 0)
    if (isComplete || isSettled) return ranking.slice(0, limit).map(({ document }) => document)
  }
}

/** The first `limit` documents of a hybrid order, each at its first chunk. */
export async function rankByWordsToo(
  workspace: Workspace,
  query: string,
  { rank, limit }: { rank: 'hybrid' | 'reading'; limit: number },
): Promise<string[]> {
  const hits = await workspace.search(query, CHUNKS_ORDERED, rank)
  return [...new Set(hits.map(documentOf))].slice(0, limit)
}

function bestChunks(hits: readonly Hit[]): { document: string; score: number }[] {
  const best = new Map<string, number>()
  for (const hit of hits) {
    const document = documentOf(hit)
    best.set(document, Math.max(best.get(document) ?? 0, hit.score))
  }
  return [...best]
    .map(([document, score]) => ({ document, score }))
    .toSorted((a, b) => b.score - a.score || (a.document < b.document ? -1 : 1))
}
