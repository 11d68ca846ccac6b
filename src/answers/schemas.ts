import { z } from 'zod'
import { Citation, Limitations } from '../context/index.ts'
import { ANSWER_CHARACTERS_MAX } from '../kernel/limits.ts'
import { onBehalfOf, text } from '../kernel/schemas.ts'
import { Hit, hitLimit, query, recency } from '../retrieval/index.ts'

const TURNS_MAX = 10

const conversation = z
  .array(
    z.strictObject({
      question: query.meta({ description: 'The question.', example: 'How many vacation days do I get?' }),
      answer: z.string().max(ANSWER_CHARACTERS_MAX).meta({
        description: 'The answer.',
        example: 'Employees get 25 days of paid vacation a year [1].',
      }),
    }),
  )
  .max(TURNS_MAX)
  .optional()
  .describe(
    'The questions and answers before this one, oldest first. They give a follow-up ("And in Germany?", "Who wrote it?") its context and are not stored.',
  )

export const AskRequest = z
  .strictObject({
    query,
    limit: hitLimit.describe('Number of passages to read for the answer.'),
    conversation,
    recency,
    effort: z
      .enum(['normal', 'high'])
      .optional()
      .describe(
        'How thoroughly to search; default `normal`. With `high`, the language model rewrites and splits the question, reads the results and searches again, in at most four calls. Without a language model, the request returns 503 `not_configured`.',
      ),
    onBehalfOf,
  })
  .meta({ id: 'AskRequest', description: 'The body of ask.' })
export type AskRequest = z.output<typeof AskRequest>
/** A question of which only `query` is required. */
export type ConversationQuestion = Pick<AskRequest, 'query'> & Partial<AskRequest>
/** An earlier question with its answer. */
export type Turn = NonNullable<AskRequest['conversation']>[number]

/** A retrieved passage as the model received it: a hit without the fields named here and in {@link contextItem}. */
const ContextItem = Hit.omit({ metadata: true, syncedAt: true, relevance: true })
export type ContextItem = z.output<typeof ContextItem>

export function contextItem({
  metadata: _metadata,
  syncedAt: _syncedAt,
  relevance: _relevance,
  ...item
}: Hit): ContextItem {
  return item
}

export const AskResponse = z
  .object({
    question: text('The question as it was sent.', 'How many vacation days do I get?'),
    answer: text(
      'The answer, each statement with its marker `[N]`.',
      'Employees get 25 days of paid vacation a year [1].',
    ),
    citations: z.array(Citation).describe("Passages cited by the answer's markers."),
    context: z
      .array(ContextItem.describe('A passage that was read for the answer.'))
      .describe('The passages that the answer is based on.'),
    limitations: Limitations.meta({
      description:
        '`weak_evidence`: nothing stored seems to answer the question. `nothing_cited`: the language model cited no passage. `approximate_search`: an approximate index was searched. `answer_truncated`: the answer reached its limit and ends early. Empty otherwise.',
      example: [],
    }),
  })
  .meta({ id: 'AskResponse', description: 'An answer with its citations.' })
export type Answer = z.output<typeof AskResponse>
