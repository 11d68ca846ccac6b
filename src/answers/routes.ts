import { z } from 'zod'
import { Citation, Limitations } from '../context/index.ts'
import type { Retrieved } from '../http/gates.ts'
import { reply, type StreamEvent, type StreamReply } from '../http/route.ts'
import { readingTwins } from '../http/twins.ts'
import type { Viewer } from '../kernel/viewer.ts'
import { onBehalfOf, text } from '../kernel/schemas.ts'
import { limit, query, Hit, recency, retrievedOf } from '../retrieval/index.ts'
import type { Answer, AnswerEvent, Answers } from './answers.ts'
import type { ConversationQuestion } from './follow-up.ts'

/** A viewer's question. The viewer's permissions determine what it can retrieve. */
export interface Question extends ConversationQuestion {
  limit: number
  /** The half-life in days by which newer items are preferred. */
  recency?: number | undefined
  viewer: Viewer
  requestId: string
}

export interface AnswerServices {
  answers: Answers<Question>
}

const ANSWER_CHARACTERS_MAX = 65_536
const TURNS_MAX = 10

const conversation = z
  .array(
    z.strictObject({
      question: query.meta({ description: 'What was asked.', example: 'How many vacation days do I get?' }),
      answer: z.string().max(ANSWER_CHARACTERS_MAX).meta({
        description: 'What was answered.',
        example: 'Employees get 25 days of paid vacation a year [1].',
      }),
    }),
  )
  .max(TURNS_MAX)
  .optional()
  .describe(
    'The questions and answers before this one, oldest first. A follow-up ("And in Germany?", "Who wrote it?") is read with them. They are not stored.',
  )

const AskRequest = z
  .strictObject({
    query,
    limit: limit.describe('How many passages are read for the answer.'),
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

const AskResponse = z
  .object({
    question: text('The question as it was sent.', 'How many vacation days do I get?'),
    answer: text(
      'The answer, each statement with its marker `[N]`.',
      'Employees get 25 days of paid vacation a year [1].',
    ),
    citations: z.array(Citation).describe("Passages cited by the answer's markers."),
    context: z
      .array(
        Hit.omit({ metadata: true, syncedAt: true, relevance: true }).describe(
          'A passage that was read for the answer.',
        ),
      )
      .describe('All that the answer was made from.'),
    limitations: Limitations.meta({
      description:
        '`weak_evidence`: nothing stored seems to answer the question. `approximate_search`: an approximate index was searched. `answer_truncated`: a streamed answer reached its time or length limit and ends early. Empty otherwise.',
      example: [],
    }),
  })
  .meta({ id: 'AskResponse', description: 'An answer with its citations.' })

export const answerRoutes = readingTwins<AnswerServices>()({
  operationId: 'ask',
  method: 'POST',
  path: '/ask',
  summary: 'Answer a question, with citations',
  description:
    'With `Accept: text/event-stream` the answer is streamed as `context`, `delta`, `citations` and `done` events; with effort `high`, `step` events before `context` report each step. When the language model fails after text was sent, the stream ends with `error` and is not charged. When the answer reaches its time or length limit after text was sent, it ends early with the limitation `answer_truncated`, `citations` and `done`, and is charged.',
  tag: 'Retrieval',
  action: 'ask',
  consoleRole: 'member',
  credits: 1,
  audit: 'ask.retrieve',
  body: AskRequest,
  onBehalfOf: 'body',
  refuses: ['embedding_model_mismatch', 'upstream_error', 'not_configured'],
  responses: { 200: AskResponse },
  streams: true,
  handle: async ({ body, viewer, headers, requestId, signal }, { answers }) => {
    const question = { ...body, viewer, requestId }
    if (wantsStream(headers['accept'])) return streamed(question, answers.askStreaming(question, signal))
    const answer = await answers.ask(question, signal)
    return { ...reply(200, AskResponse.parse(answer)), retrieved: retrievedFor(question, answer) }
  },
})

function wantsStream(accept: string | string[] | undefined): boolean {
  return String(accept ?? '').includes('text/event-stream')
}

function retrievedFor(
  question: Question,
  { context, citations }: Pick<Answer, 'context' | 'citations'>,
): Retrieved {
  return { ...retrievedOf(question, context), citationCount: citations.length }
}

/** Streams an answer and records the text that was sent, for readers who disconnect early. */
function streamed(question: Question, answer: AsyncIterable<AnswerEvent>): StreamReply {
  const sent: Pick<Answer, 'context' | 'citations'> = { context: [], citations: [] }
  async function* noted(): AsyncGenerator<AnswerEvent> {
    for await (const event of answer) {
      if (event.type === 'context') sent.context = event.context
      if (event.type === 'citations') sent.citations = event.citations
      yield event
    }
  }
  return { stream: toEvents(noted()), retrieved: () => retrievedFor(question, sent) }
}

async function* toEvents(answer: AsyncIterable<AnswerEvent>): AsyncGenerator<StreamEvent> {
  for await (const event of answer) {
    switch (event.type) {
      case 'step':
        yield { event: 'step', data: event.step }
        break
      case 'context':
        yield { event: 'context', data: { context: event.context } }
        break
      case 'delta':
        yield { event: 'delta', data: { text: event.text } }
        break
      case 'citations':
        yield { event: 'citations', data: { citations: event.citations } }
        break
      case 'done':
        yield { event: 'done', data: event.answer }
        break
      case 'error':
        // Reports the error in the stream and refunds the credit.
        throw event.error
    }
  }
}
