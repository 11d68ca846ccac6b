// A retriever as LangChain has them. It has the shape of one and needs no package of LangChain; to put it into a chain, extend
// BaseRetriever of @langchain/core/retrievers instead and call `retrieve` in its _getRelevantDocuments.
import type { Memory, SearchRequest } from '../src/index.ts'

/** A document as @langchain/core/documents has it. */
export interface RetrievedDocument {
  id: string
  pageContent: string
  metadata: Record<string, unknown>
}

export class MemoryRetriever {
  readonly #memory: Memory
  readonly #settings: Omit<SearchRequest, 'query'>

  /** `settings`: `limit`, `filter` and `rank` of every search. */
  constructor(memory: Memory, settings: Omit<SearchRequest, 'query'> = {}) {
    this.#memory = memory
    this.#settings = settings
  }

  /** Called by a chain. */
  invoke(query: string, config: { signal?: AbortSignal } = {}): Promise<RetrievedDocument[]> {
    return this.retrieve(query, config.signal)
  }

  async retrieve(query: string, signal?: AbortSignal): Promise<RetrievedDocument[]> {
    const { hits } = await this.#memory.search({ rank: 'hybrid', ...this.#settings, query }, { signal })
    return hits.map(({ sourceItemId, content, metadata, ...hit }) => ({
      id: sourceItemId,
      pageContent: content,
      metadata: { ...metadata, ...hit },
    }))
  }
}
