import {
  type AnswerServices,
  createAnswers,
  createHintedRetrieval,
  createReadAround,
  type Question,
} from '../answers/index.ts'
import { type ContextServices, createRetrieveContext } from '../context/index.ts'
import type { Metrics } from '../health/index.ts'
import type { LanguageModel } from '../inference/language-model.ts'
import type { TermWeights } from '../inference/term-weights.ts'
import type { Tracer } from '../kernel/tracer.ts'
import { createMemoryCanvas, type FindItems, type MemoryCanvasServices } from '../memory-canvas/index.ts'
import { createRetrieval, type Hit, type RetrievalServices, type Search } from '../retrieval/index.ts'
import type { VectorMemory } from '../vector-memory/index.ts'
import type { EmbeddingEngine } from './embedding-engine.ts'
import type { Foundation } from './foundation.ts'

/** One search runs in the database's session while others are read, encoded and answered. */
const EMBEDDED_SEARCHES_AT_ONCE = 4
const CANVAS_PASSAGES = 8

/** Creates search and context, the answers based on them, and the canvas, which searches by meaning. */
export function createRetrievalEngine(
  deps: Foundation & {
    languageModel: LanguageModel | null
    termWeights: TermWeights
  },
  parts: {
    models: EmbeddingEngine['models']
    memory: VectorMemory | null
    metrics: Metrics
    tracer: Tracer | undefined
  },
): Pick<RetrievalServices, 'retrieval'> &
  Pick<ContextServices, 'context'> &
  Pick<AnswerServices, 'answers'> &
  Pick<MemoryCanvasServices, 'memoryCanvas'> {
  const { database, clock, termWeights: terms } = deps
  const { db } = database
  const retrieval = createRetrieval({
    db,
    clock,
    models: parts.models,
    terms,
    ...(parts.memory ? { memory: parts.memory } : {}),
    onSearched: parts.metrics.observeSearch,
    ...(database.driver === 'embedded' ? { searchesAtOnce: EMBEDDED_SEARCHES_AT_ONCE } : {}),
  })
  const readAroundHits = createReadAround(db)
  const readAround = ({ viewer }: Question, hits: readonly Hit[]) => readAroundHits(viewer, hits)
  return {
    retrieval,
    context: createRetrieveContext({ db, clock, terms, models: parts.models, search: retrieval.search }),
    answers: createAnswers<Question>({
      retrieve: createHintedRetrieval<Question>({
        search: ({ viewer, query }, limit, signal) =>
          retrieval.search(viewer, { query, limit, rank: 'reading' }, signal),
        readAround,
        clock,
      }),
      readAround,
      languageModel: deps.languageModel,
      answerTimeoutMs: deps.settings.ANSWER_TIMEOUT_MS,
      terms,
      tracer: parts.tracer,
      onModelFailure: (err, { requestId }) =>
        deps.logger.warn({ requestId, err }, 'the language model failed'),
    }),
    memoryCanvas: createMemoryCanvas({ db, clock, findItems: itemsNearest(retrieval.search) }),
  }
}

/** The items of the passages nearest to a query, nearest first: the canvas's search by meaning. None if the evidence is weak. */
function itemsNearest(search: Search): FindItems {
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
