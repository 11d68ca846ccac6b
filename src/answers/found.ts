import type { Hit } from '../retrieval/index.ts'

/** The result of retrieval for a question. */
export interface Found {
  /** Ordered for reading (rank `reading`). */
  hits: readonly Hit[]
  /** Whether even the nearest hit is too far from the question to answer it. */
  isWeak: boolean
  /** Whether nearer hits may be missing. */
  isApproximate: boolean
  /** Each hit's gain from its age and the question's words about place and time. */
  gains?: readonly number[]
  /** The question with its subject and without words about place and time. The answer uses it. */
  question?: string
  /** The remaining limits for the language model's answer; by default its full limits. */
  limits?: AnswerLimits
}

export interface AnswerLimits {
  answerTimeoutMs: number
  /** The length limit of each passage in the prompt. */
  passageCharactersMax: number
}
