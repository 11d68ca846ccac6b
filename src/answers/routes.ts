import type { Retrieved } from '../http/gates.ts'
import { reply, type StreamEvent, type StreamReply } from '../http/route.ts'
import { readingTwins } from '../http/twins.ts'
import type { Viewer } from '../kernel/viewer.ts'
import { retrievedOf } from '../retrieval/index.ts'
import type { AnswerEvent, Answers } from './answers.ts'
import { type Answer, AskRequest, AskResponse } from './schemas.ts'

/** A viewer's question. The viewer's permissions determine what it can retrieve. */
export type Question = AskRequest & { viewer: Viewer; requestId: string }

export interface AnswerServices {
  answers: Answers<Question>
}

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
    if (headers.accept?.includes('text/event-stream'))
      return streamed(question, answers.askStreaming(question, signal))
    const answer = await answers.ask(question, signal)
    return { ...reply(200, AskResponse.parse(answer)), retrieved: retrievedFor(question, answer) }
  },
})

function retrievedFor(
  question: Question,
  { context, citations }: Pick<Answer, 'context' | 'citations'>,
): Retrieved {
  return { ...retrievedOf(question, context), citationCount: citations.length }
}

const ContextEvent = AskResponse.pick({ context: true })
const CitationsEvent = AskResponse.pick({ citations: true })

/** Streams an answer's declared fields and records what was sent, for readers who disconnect early. */
function streamed(question: Question, answer: AsyncIterable<AnswerEvent>): StreamReply {
  const sent: Pick<Answer, 'context' | 'citations'> = { context: [], citations: [] }
  async function* toEvents(): AsyncGenerator<StreamEvent> {
    for await (const event of answer) {
      switch (event.type) {
        case 'step':
          yield { event: 'step', data: event.step }
          break
        case 'context':
          sent.context = event.context
          yield { event: 'context', data: ContextEvent.parse(event) }
          break
        case 'delta':
          yield { event: 'delta', data: { text: event.text } }
          break
        case 'citations':
          sent.citations = event.citations
          yield { event: 'citations', data: CitationsEvent.parse(event) }
          break
        case 'done':
          yield { event: 'done', data: AskResponse.parse(event.answer) }
          break
        case 'error':
          // Reports the error in the stream and refunds the credit.
          throw event.error
      }
    }
  }
  return { stream: toEvents(), retrieved: () => retrievedFor(question, sent) }
}
