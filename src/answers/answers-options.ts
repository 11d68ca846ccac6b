import type { TermWeights } from '../inference/term-weights.ts'
import type { Tracer } from '../kernel/tracer.ts'
import type { Hit } from '../retrieval/index.ts'
import type { Asked } from './follow-up.ts'
import type { Found } from './found.ts'
import type { ModelAnswerOptions } from './model-deltas.ts'
import type { Around } from './read-around.ts'

export interface AnswersOptions<Request extends Asked> extends ModelAnswerOptions {
  /** What a request may see. */
  retrieve: (request: Request, signal?: AbortSignal) => Promise<Found>
  terms: TermWeights
  /** What stands around each hit in its document, for answers without a language model; without it they read the hits alone. */
  readAround?: (request: Request, hits: readonly Hit[]) => Promise<readonly (Around | undefined)[]>
  /** Where the steps of thorough answers are traced. */
  tracer?: Tracer | undefined
  /** Told why the language model did not answer, when a synthesis stands in for it or a stream broke. */
  onModelFailure: (error: unknown, request: Request) => void
}
