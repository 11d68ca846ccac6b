import type { TermWeights } from '../inference/term-weights.ts'
import type { Tracer } from '../kernel/tracer.ts'
import type { Hit } from '../retrieval/index.ts'
import type { ConversationQuestion } from './schemas.ts'
import type { Found } from './found.ts'
import type { ModelAnswerOptions } from './model-answer.ts'
import type { Around } from './read-around.ts'

export interface AnswersOptions<Request extends ConversationQuestion> extends ModelAnswerOptions {
  /** Retrieves only what the request's viewer may see. */
  retrieve: (request: Request, signal?: AbortSignal) => Promise<Found>
  terms: TermWeights
  /** Reads the chunks around each hit, for answers without a language model; by default they use only the hits. */
  readAround?: (request: Request, hits: readonly Hit[]) => Promise<readonly (Around | undefined)[]>
  /** Traces the steps of thorough answers. */
  tracer?: Tracer | undefined
  /** Reports a failure of the language model, before a synthesis replaces its answer or after a stream broke off. */
  onModelFailure: (error: unknown, request: Request) => void
}
