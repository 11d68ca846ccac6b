import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { AppError } from '../kernel/errors.ts'
import type { BodyShare } from './body-budget.ts'

/**
 * Receives a body and reserves memory for it: at once for a known sender, as it arrives for any other, who could declare
 * bodies and never send them. @throws AppError `body_too_large`, `overloaded`, `request_timeout`
 */
export async function receiveBody(
  request: IncomingMessage,
  { bytesMax, share, isKnown }: { bytesMax: number; share: BodyShare; isKnown: boolean },
): Promise<Buffer> {
  const declared = Number(request.headers['content-length'])
  if (declared > bytesMax) throw tooLarge(bytesMax)
  const isReserved = isKnown && !Number.isNaN(declared)
  if (isReserved) share.take(declared)
  if (request.destroyed) throw incomplete()
  const chunks: Buffer[] = []
  let length = 0
  const onData = (chunk: Buffer): void => {
    length += chunk.length
    if (length > bytesMax) stop.abort(tooLarge(bytesMax))
    else if (!isReserved) takeOrStop(chunk.length)
    chunks.push(chunk)
  }
  const takeOrStop = (bytes: number): void => {
    try {
      share.take(bytes)
    } catch (error) {
      stop.abort(error)
    }
  }
  const stop = new AbortController()
  request.on('data', onData)
  try {
    await once(request, 'end', { signal: stop.signal })
  } catch (error) {
    stop.signal.throwIfAborted()
    throw incomplete(error)
  } finally {
    request.off('data', onData)
    // The rest is read and dropped.
    request.resume()
  }
  return Buffer.concat(chunks, length)
}

/** The client may have disconnected; then nobody reads it. */
function incomplete(cause?: unknown): AppError {
  return new AppError('request_timeout', 'The request body did not arrive completely', { cause })
}

function tooLarge(limitBytes: number): AppError {
  return new AppError('body_too_large', `The request body is larger than ${limitBytes} bytes`, {
    details: { limitBytes },
  })
}
