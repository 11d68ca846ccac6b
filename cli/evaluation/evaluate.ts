import type { ApiClient } from '../api-client.ts'
import { AskAnswer, type Hit, SearchAnswer } from '../api-shapes.ts'
import type { RetryPolicy } from '../../client/src/index.ts'
import type { ExpectedQuestion } from './read-questions.ts'

/** What one question gave. */
export interface QuestionResult extends ExpectedQuestion {
  /** The place of the expected page among the pages found, or of the first passage with the fact; null: not found. */
  rank: number | null
  /** Whether the answer has the fact; null where none is expected. */
  hasFact: boolean | null
  answer: string
  change: 'better' | 'worse' | 'same' | 'new'
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

/** What of an earlier run is compared: by question. */
export type Standing = Readonly<Record<string, Pick<QuestionResult, 'rank' | 'hasFact'>>>

const HITS_MAX = 25

/** Asks one question: a search for its rank, and an answer. Costs two credits. */
export async function evaluateQuestion(
  client: ApiClient,
  expected: ExpectedQuestion,
  { shared, retry, last }: { shared: object; retry: Partial<RetryPolicy>; last: Standing },
): Promise<QuestionResult> {
  const query = expected.question
  const search = { method: 'POST', path: '/v1/search', retry } as const
  const { hits } = await client.call(SearchAnswer, {
    ...search,
    body: { query, limit: HITS_MAX, rank: 'hybrid', ...shared },
  })
  const { answer } = await client.call(AskAnswer, { ...search, path: '/v1/ask', body: { query, ...shared } })
  const rank = rankOf(expected, hits)
  const hasFact = expected.fact === null ? null : contains(answer, expected.fact)
  return { ...expected, rank, hasFact, answer, change: changeSince(last[query], { rank, hasFact }) }
}

/** The place of what is expected among the items found: several passages of one count once. */
export function rankOf({ page, fact }: ExpectedQuestion, hits: readonly Hit[]): number | null {
  const places = [...new Set(hits.map(({ sourceItemId }) => sourceItemId))]
  const found = hits.find((hit) => (page === null ? contains(hit.content, fact ?? '') : isPage(hit, page)))
  return found === undefined ? null : places.indexOf(found.sourceItemId) + 1
}

function isPage({ sourceItemId, title, url }: Hit, page: string): boolean {
  return sourceItemId === page.toLowerCase() || url === page || plain(title) === plain(page)
}

function contains(text: string, fact: string): boolean {
  return plain(text).includes(plain(fact))
}

/** A text by which others are compared: in lower case, with single spaces, without marks of emphasis. */
function plain(text: string): string {
  return text.toLowerCase().replaceAll(/[*`]+/g, '').replaceAll(/\s+/g, ' ').trim()
}

function changeSince(
  last: Standing[string] | undefined,
  { rank, hasFact }: Standing[string],
): QuestionResult['change'] {
  if (last === undefined) return 'new'
  const worth = (of: Standing[string]): number => (of.rank === null ? 0 : 1 / of.rank)
  const gain =
    worth({ rank, hasFact }) - worth(last) || Number(hasFact ?? false) - Number(last.hasFact ?? false)
  return gain === 0 ? 'same' : gain > 0 ? 'better' : 'worse'
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
