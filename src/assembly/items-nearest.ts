import type { FindItems } from '../memory-canvas/index.ts'
import type { Search } from '../retrieval/index.ts'

const CANVAS_PASSAGES = 8

/** The items of the passages nearest to a query, nearest first: the canvas's search by meaning. None if the evidence is weak. */
export function itemsNearest(search: Search): FindItems {
  return async (reader, query, provider, signal) => {
    const filter = provider === undefined ? {} : { filter: { providers: [provider] } }
    const { hits, isWeak } = await search(
      reader,
      { query, limit: CANVAS_PASSAGES, rank: 'reading', ...filter },
      signal,
    )
    return isWeak ? [] : [...new Set(hits.map(({ sourceItemId }) => sourceItemId))]
  }
}
