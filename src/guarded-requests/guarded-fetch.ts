import { Readable } from 'node:stream'
import type { OpenRequest } from './guarded-request.ts'

/** `fetch` for addresses that a user entered. Its bodies are texts, and it follows no redirect. */
export function createGuardedFetch(open: OpenRequest): typeof fetch {
  return async (input, init = {}) => {
    const { body, signal, method = 'GET' } = init
    const url = new URL(input instanceof Request ? input.url : input)
    const answer = await open(
      url,
      {
        method,
        headers: { ...Object.fromEntries(new Headers(init.headers)), 'accept-encoding': 'identity' },
        ...(signal && { signal }),
      },
      body == null ? undefined : String(body),
    )
    const status = answer.statusCode ?? 0
    const hasBody = status !== 204 && status !== 304
    if (!hasBody) answer.resume()
    const headers = Object.entries(answer.headersDistinct).flatMap(([name, values = []]) =>
      values.map((value): [string, string] => [name, value]),
    )
    return new Response(hasBody ? Readable.toWeb(answer) : null, { status, headers })
  }
}
