import type { Hit } from '../retrieval/index.ts'

/** The result of retrieval for a question. */
export interface Found {
  /** In reading order. */
  hits: readonly Hit[]
  /** Whether even the nearest hit is too far from the question to answer it. */
  isWeak: boolean
  /** Whether nearer hits may be missing. */
  isApproximate: boolean
  /** Each hit's gain by its age and by the question's words about place and time. */
  gains?: readonly number[]
  /** The question with its subject, without words about place and time, which the answer uses. */
  question?: string
  /** What is left for the language model's answer; by default everything. */
  limits?: AnswerLimits
}

export interface AnswerLimits {
  answerTimeoutMs: number
  /** Limit for each passage in the prompt. */
  passageCharactersMax: number
}
