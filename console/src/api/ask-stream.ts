import { type AskStep, readEvents } from '../../../client/src/index.ts'
import { type Credentials, headersOf, type Schemas } from './client.ts'
import { ApiError, errorOf, unreachable } from './errors.ts'

export type Answer = Schemas['AskResponse']

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
  const broken = (cause?: unknown): ApiError =>
    new ApiError({
      code: 'offline',
      message:
        'The connection broke before the answer was complete. Ask again. If text arrived, the answer costs 1 credit.',
      status: 0,
      requestId,
      cause,
    })
  let isWhole = false
  for await (const { event, data } of readEvents(piecesOf(response.body, broken, signal))) {
    const read: { event: string; data: unknown } = { event, data: JSON.parse(data) }
    if (!isAskEvent(read)) throw errorOf(response, read.data)
    isWhole = read.event === 'done'
    yield read
  }
  if (!isWhole) throw broken()
}

/** The text of a response as it arrives. Not every browser iterates streams. */
async function* piecesOf(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  broken: (cause: unknown) => ApiError,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  try {
    for (;;) {
      const { value, done } = await reader.read().catch((error: unknown) => {
        throw signal.aborted ? error : broken(error)
      })
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
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

/** True for all events except errors. The service sends declared fields only. */
function isAskEvent(given: { event: string; data: unknown }): given is AskEvent {
  return ['step', 'context', 'delta', 'citations', 'done'].includes(given.event)
}
