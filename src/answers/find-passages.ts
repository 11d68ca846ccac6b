import { AppError } from '../kernel/errors.ts'
import { runCooperatively } from '../kernel/cooperative.ts'
import type { AnswersOptions } from './answers-options.ts'
import { standaloneQuestion } from './follow-up.ts'
import type { ConversationQuestion } from './schemas.ts'
import type { Found } from './found.ts'
import { sharingContent } from './relevance.ts'
import { researching, type Step } from './research.ts'

/** Finds the passages for a request, in one search or in the steps of a thorough answer. */
export type FindPassages<Request extends ConversationQuestion> = (
  request: Request,
  signal?: AbortSignal,
) => AsyncGenerator<Step, Found>

export function createFindPassages<Request extends ConversationQuestion>(
  options: AnswersOptions<Request>,
): FindPassages<Request> {
  /** Retrieves hits for a query; none if no hit is related to it. */
  async function retrieveRelevant(request: Request, query: string, signal?: AbortSignal): Promise<Found> {
    const retrieved = await options.retrieve({ ...request, query }, signal)
    const found = { question: query, ...retrieved }
    if (!found.isWeak || found.hits.length === 0) return found
    const isRelevant = await runCooperatively(sharingContent(query, found.hits, options.terms), signal)
    return isRelevant ? found : { ...found, hits: [] }
  }

  return async function* findPassages(request, signal) {
    const question = standaloneQuestion(request.query, request.conversation ?? [], options.terms)
    if (request.effort !== 'high') return await retrieveRelevant(request, question, signal)
    const { languageModel, answerTimeoutMs, tracer } = options
    if (languageModel === null) throw needsModel()
    const search = (query: string): Promise<Found> => retrieveRelevant(request, query, signal)
    const onModelFailure = (error: unknown): void => options.onModelFailure(error, request)
    const research = { languageModel, answerTimeoutMs, tracer, search, onModelFailure }
    return yield* researching(research, request, question, signal)
  }
}

function needsModel(): AppError {
  return new AppError(
    'not_configured',
    'effort "high" needs a language model: leave effort out, or ask the operator to set LLM_PROVIDER',
  )
}
