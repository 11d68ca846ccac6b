import type { Hit } from '../src/retrieval/index.ts'
import { documentOf, type Workspace } from './workspaces.ts'

/** Chunks asked for at first; doubled while they are of too few documents. */
const CHUNKS_AT_FIRST = 50
/** An order by words too is made of this many. */
const CHUNKS_ORDERED = 200

/**
 * The documents of a search, each where its best chunk is, `limit` of them. Ties by the document's id: the service
 * breaks them by ids that are other ones in every run.
 */
export async function rankDocuments(workspace: Workspace, query: string, limit: number): Promise<string[]> {
  for (let chunks = CHUNKS_AT_FIRST; ; chunks *= 2) {
    const hits = await workspace.search(query, chunks, 'vector')
    const ranking = bestChunks(hits)
    const isComplete = hits.length < chunks
    // What ties with the last hit may not all be here.
    const isSettled = (ranking[limit - 1]?.score ?? 0) > (hits.at(-1)?.score ?? 0)
    if (isComplete || isSettled) return ranking.slice(0, limit).map(({ document }) => document)
  }
}

/** The documents of an order by words too, each where its first chunk is, `limit` of them. */
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
