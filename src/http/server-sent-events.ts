import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import type { CreditReservation } from './gates.ts'
import { errorBody, toAppError } from './error-response.ts'
import type { StreamEvent, StreamReply } from './route.ts'

/** A reader that does not take an event in this time is considered gone. A credit is reserved for longer. */
const STALLED_MS = 60_000

/** Sends events as they arrive, at the reader's pace. A failure ends with an `error` event and a refund. */
export async function sendEvents(
  reply: FastifyReply,
  { stream, retrieved }: StreamReply,
  reservation: CreditReservation | undefined,
): Promise<FastifyReply> {
  const iterator = stream[Symbol.asyncIterator]()
  // A failure before the first event is an ordinary error response.
  let next = await iterator.next()
  reply.hijack()
  const response = reply.raw
  response.writeHead(200, {
    ...definedHeaders(reply),
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Accel-Buffering': 'no',
  })
  let isCharging = false
  const charge = async (): Promise<void> => {
    isCharging = true
    await reservation?.settle(retrieved())
  }
  try {
    while (!next.done && !response.destroyed) {
      if (!response.write(encode(next.value))) await drained(response)
      next = await iterator.next()
    }
    await charge()
  } catch (error) {
    // The reader left. A failed charge is not repeated, because it may have been counted.
    if (response.destroyed && !isCharging) await charge()
    else {
      await reservation?.refund()
      reply.log.warn({ err: error }, 'an answer failed while it was streamed')
      if (!response.destroyed)
        response.write(
          encode({ event: 'error', data: errorBody(toAppError(error), reply.server.publicUrl()) }),
        )
    }
  } finally {
    response.end()
    await iterator.return?.()
  }
  return reply
}

/** Waits until the reader has taken everything, or the connection has ended. */
async function drained(response: ServerResponse): Promise<void> {
  const waited = new AbortController()
  const { signal } = waited
  const timer = setTimeout(() => response.destroy(), STALLED_MS)
  try {
    await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })])
  } finally {
    clearTimeout(timer)
    waited.abort()
  }
}

function encode({ event, data }: StreamEvent): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}

function definedHeaders(reply: FastifyReply): Record<string, string | number | string[]> {
  const headers: Record<string, string | number | string[]> = {}
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) headers[name] = value
  }
  return headers
}
