import type { Hit } from '../retrieval/index.ts'

/** What was found for a question. */
export interface Found {
  /** In the order in which they are to be read. */
  hits: readonly Hit[]
  /** Whether even the nearest is too far from the question to answer it. */
  isWeak: boolean
  /** Whether nearer ones may have been missed. */
  isApproximate: boolean
  /** What each hit gains by the question's words about place and time and by its age. */
  gains?: readonly number[]
  /** What the answer is looked for by: the question with its subject, without words about place and time. */
  question?: string
  /** What is left for the language model's answer; without it, all of it. */
  limits?: AnswerLimits
}

export interface AnswerLimits {
  answerTimeoutMs: number
  /** For each passage that the model is given. */
  passageCharactersMax: number
}
