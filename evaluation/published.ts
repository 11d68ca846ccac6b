import type { Collection } from './read-collection.ts'

/** A published figure for a collection. */
export interface PublishedFigure {
  method: string
  ndcg10: number
}

/**
 * nDCG@10 on test sets of BEIR: BM25 from Anserini's regressions, models from the MTEB leaderboard and their
 * model cards, all ranking whole documents.
 */
const FIGURES: readonly { name: string; documents: number; figures: readonly PublishedFigure[] }[] = [
  {
    name: 'scifact',
    documents: 5_183,
    figures: [
      { method: 'text-embedding-3-small', ndcg10: 0.734 },
      { method: 'bge-small-en-v1.5', ndcg10: 0.713 },
      { method: 'BM25', ndcg10: 0.679 },
      { method: 'all-MiniLM-L6-v2', ndcg10: 0.645 },
      { method: 'potion-base-8M', ndcg10: 0.506 },
    ],
  },
]

/** The published figures of a collection, recognized by name and size; best first. */
export function publishedFigures(collection: Collection): readonly PublishedFigure[] {
  const known = FIGURES.find(
    ({ name, documents }) => name === collection.name && documents === collection.documents.length,
  )
  return known?.figures ?? []
}
