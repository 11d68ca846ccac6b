export interface SentRequest {
  method: string
  url: string
  headers: Headers
  /** Parsed. */
  body: unknown
}

export interface FakeService {
  fetch: typeof fetch
  requests: SentRequest[]
}

type Answer = Response | Promise<Response> | undefined

/** Replaces `fetch` and records the requests. */
export function fakeService(respond: (request: SentRequest) => Answer): FakeService {
  const requests: SentRequest[] = []
  return {
    requests,
    fetch: async (input, init) => {
      const request = new Request(input, init)
      const text = await request.text()
      const { method, url, headers } = request
      const sent = { method, url, headers, body: text === '' ? undefined : JSON.parse(text) }
      requests.push(sent)
      const answer = await respond(sent)
      if (answer === undefined) throw new Error('The test has no further answer')
      return answer
    },
  }
}

/** A success of the service. */
export function success(body: unknown): Response {
  return Response.json(body)
}

/** An error of the service. */
export function problem(
  status: number,
  code: string,
  fields: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Response {
  const documentation = `http://memory.test/errors#${code}`
  return Response.json({ error: `It is ${code}`, code, documentation, ...fields }, { status, headers })
}

/** Events as the service streams them. */
export function streamed(events: readonly (readonly [name: string, data: unknown])[]): Response {
  const text = events.map(([name, data]) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`).join('')
  return new Response(text, { headers: { 'content-type': 'text/event-stream' } })
}
