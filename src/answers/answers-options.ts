import type { TermWeights } from '../inference/term-weights.ts'
import type { Tracer } from '../kernel/tracer.ts'
import type { Hit } from '../retrieval/index.ts'
import type { Asked } from './follow-up.ts'
import type { Found } from './found.ts'
import type { ModelAnswerOptions } from './model-deltas.ts'
import type { Around } from './read-around.ts'

export interface AnswersOptions<Request extends Asked> extends ModelAnswerOptions {
  /** Retrieves what a request may see. */
  retrieve: (request: Request, signal?: AbortSignal) => Promise<Found>
  terms: TermWeights
  /**
   * The surroundings of each hit in its document, for answers without a language model; without it they read
   * only the hits.
   */
  readAround?: (request: Request, hits: readonly Hit[]) => Promise<readonly (Around | undefined)[]>
  /** Traces the steps of thorough answers. */
  tracer?: Tracer | undefined
  /**
   * Reports why the language model failed, before a synthesis replaces its answer or after a stream broke.
   */
  onModelFailure: (error: unknown, request: Request) => void
}
