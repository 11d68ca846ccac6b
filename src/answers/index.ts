export { type Answer, type AnswerEvent, type Answers, type ContextItem, createAnswers } from './answers.ts'
export type { Citation } from './citations.ts'
export type { TermWeights } from './synthesize.ts'
