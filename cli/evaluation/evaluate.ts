import type { ApiClient } from '../api-client.ts'
import { AskResponse, SearchResponse } from '../api-shapes.ts'
import type { RetryPolicy } from '../../client/src/index.ts'
import { HITS_MAX } from '../../src/kernel/limits.ts'
import { type Change, measure, type Result } from './measure.ts'
import type { ExpectedQuestion } from './read-questions.ts'

export interface QuestionResult extends ExpectedQuestion, Result {
  answer: string
  change: Change
}

export interface Summary {
  questions: number
  hitsAt1: number
  hitsAt3: number
  hitsAt10: number
  facts: number
  factsInAnswers: number
  better: number
  worse: number
}

/** The compared results of an earlier run, by question. */
export type Results = Readonly<Record<string, Result>>

/** Asks one question: a search for its rank, and an answer. Costs two credits. */
export async function evaluateQuestion(
  client: ApiClient,
  expected: ExpectedQuestion,
  { shared, retry, last }: { shared: object; retry: Partial<RetryPolicy>; last: Results },
): Promise<QuestionResult> {
  const query = expected.question
  const { hits } = await client.use(
    SearchResponse,
    (memory, options) => memory.search({ query, limit: HITS_MAX, rank: 'hybrid', ...shared }, options),
    retry,
  )
  const { answer } = await client.use(
    AskResponse,
    (memory, options) => memory.ask({ query, ...shared }, options),
    retry,
  )
  return { ...expected, answer, ...measure(expected, { hits, answer }, last[query]) }
}

export function summarize(results: readonly QuestionResult[]): Summary {
  const count = (test: (result: QuestionResult) => boolean): number => results.filter(test).length
  const within = (most: number): number => count(({ rank }) => rank !== null && rank <= most)
  return {
    questions: results.length,
    hitsAt1: within(1),
    hitsAt3: within(3),
    hitsAt10: within(10),
    facts: count(({ fact }) => fact !== null),
    factsInAnswers: count(({ hasFact }) => hasFact === true),
    better: count(({ change }) => change === 'better'),
    worse: count(({ change }) => change === 'worse'),
  }
}
