import { afterEach, describe, expect, it, vi } from 'vitest'
import { type AskEvent, askStreaming } from './ask-stream.ts'

const credentials = { token: async () => 'token', onRefused: () => undefined }
const DELTA = 'event: delta\ndata: {"text":"Half an"}\n\n'

afterEach(() => vi.unstubAllGlobals())

/** Asks a service whose response ends with this error after a piece of the answer. */
function askUntil(failure: Error, signal: AbortSignal): AsyncGenerator<AskEvent> {
  let isFirst = true
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (isFirst) controller.enqueue(new TextEncoder().encode(DELTA))
      else controller.error(failure)
      isFirst = false
    },
  })
  vi.stubGlobal('fetch', async () => new Response(body, { headers: { 'x-request-id': 'r1' } }))
  return askStreaming(credentials, 'o1', { query: 'q' }, signal)
}

const drain = async (events: AsyncGenerator<AskEvent>): Promise<unknown> => {
  try {
    while ((await events.next()).done !== true);
    return undefined
  } catch (error) {
    return error
  }
}

describe('an answer whose connection is reset', () => {
  it('fails with an error that the page can show', async () => {
    const error = await drain(askUntil(new TypeError('network error'), new AbortController().signal))
    expect(error).toMatchObject({ name: 'ApiError', code: 'offline', requestId: 'r1' })
  })

  it('fails with the reason of the signal when the user stopped it', async () => {
    const reason = new DOMException('stopped', 'AbortError')
    expect(await drain(askUntil(reason, AbortSignal.abort(reason)))).toBe(reason)
  })
})
