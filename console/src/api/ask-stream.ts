import { EventSourceParserStream } from 'eventsource-parser/stream'
import { type Credentials, headersOf, type Schemas } from './client.ts'
import { ApiError, errorOf, unreachable } from './errors.ts'

export type Answer = Schemas['AskResponse']

/** The steps of a thorough answer, before its text is generated. */
export type AskStep =
  | { step: 'rewrite'; queries: string[] }
  | { step: 'search'; query: string; hitCount: number }
  | { step: 'read'; isEnough: boolean; queries: string[] }

/** The events of a streamed answer: steps, passages, text deltas, citations, and the complete answer. */
export type AskEvent =
  /** Added by the client: the ID of the request, which identifies the answer in the audit log. */
  | { event: 'request'; data: { requestId: string | null } }
  | { event: 'step'; data: AskStep }
  | { event: 'context'; data: Pick<Answer, 'context'> }
  | { event: 'delta'; data: { text: string } }
  | { event: 'citations'; data: Pick<Answer, 'citations'> }
  | { event: 'done'; data: Answer }

/** Sends a question and yields its answer's events. @throws ApiError if refused or broken off */
export async function* askStreaming(
  credentials: Credentials,
  organizationId: string,
  question: Schemas['AskRequest'],
  signal: AbortSignal,
): AsyncGenerator<AskEvent> {
  const response = await send(credentials, organizationId, question, signal)
  if (response.status === 401) credentials.onRefused()
  if (!response.ok || !response.body) throw errorOf(response, await response.json().catch(() => undefined))
  const requestId = response.headers.get('x-request-id')
  yield { event: 'request', data: { requestId } }
  const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
  let isWhole = false
  const reader = events.getReader()
  try {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) break
      const read: { event: string | undefined; data: unknown } = {
        event: value.event,
        data: JSON.parse(value.data),
      }
      if (!isAskEvent(read)) throw errorOf(response, read.data)
      isWhole = read.event === 'done'
      yield read
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
  if (!isWhole)
    throw new ApiError({
      code: 'offline',
      message:
        'The connection broke before the answer was complete. Ask again. If text arrived, the answer costs 1 credit.',
      status: 0,
      requestId,
    })
}

async function send(
  credentials: Credentials,
  organizationId: string,
  question: Schemas['AskRequest'],
  signal: AbortSignal,
): Promise<Response> {
  const headers = new Headers(await headersOf(credentials, organizationId))
  headers.set('Accept', 'text/event-stream')
  headers.set('Content-Type', 'application/json')
  try {
    return await fetch('/v1/console/ask', { method: 'POST', headers, body: JSON.stringify(question), signal })
  } catch (error) {
    if (signal.aborted) throw error
    throw unreachable(error)
  }
}

/** True for all events except errors. The service validates events before it sends them. */
function isAskEvent(given: { event: string | undefined; data: unknown }): given is AskEvent {
  return given.event !== undefined && ['step', 'context', 'delta', 'citations', 'done'].includes(given.event)
}
