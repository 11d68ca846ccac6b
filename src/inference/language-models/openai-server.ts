import { parseJson } from '../../kernel/parse-json.ts'

export const OPENAI_BASE_URL = 'https://api.openai.com/v1'

/** All compatible servers know this name, but OpenAI's reasoning models reject it. */
const TOKEN_LIMIT = 'max_tokens'
const NEW_TOKEN_LIMIT = 'max_completion_tokens'
const LINE_CHARACTERS_MAX = 1024 * 1024

/** A `fetch` that adapts chat requests and their event streams to how servers differ from OpenAI's API. */
export function openAiServerFetch(fetchFrom: typeof fetch, baseUrl: string): typeof fetch {
  let isRenamed = baseUrl.replace(/\/+$/, '') === OPENAI_BASE_URL
  return async (url, init) => {
    const send = (): Promise<Response> => fetchFrom(url, isRenamed ? withNewTokenLimit(init) : init)
    let response = await send()
    if (!isRenamed && response.status === 400 && (await response.clone().text()).includes(NEW_TOKEN_LIMIT)) {
      isRenamed = true
      await response.body?.cancel()
      response = await send()
    }
    return withoutEventsThatLackChoices(response)
  }
}

function withNewTokenLimit(init: RequestInit | undefined): RequestInit {
  const body = typeof init?.body === 'string' ? parseJson(init.body) : undefined
  if (!isRecord(body)) return { ...init }
  const { [TOKEN_LIMIT]: limit, ...rest } = body
  return { ...init, body: JSON.stringify({ ...rest, [NEW_TOKEN_LIMIT]: limit }) }
}

/** Some servers report usage or a ping in an event without choices, which the SDK takes for a failure. */
function withoutEventsThatLackChoices(response: Response): Response {
  const isStream = response.headers.get('content-type')?.includes('text/event-stream') ?? false
  if (response.body === null || !isStream) return response
  const { status, statusText, headers } = response
  const body = response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(lineFilter((line) => !lacksChoices(line)))
    .pipeThrough(new TextEncoderStream())
  return new Response(body, { status, statusText, headers })
}

/** Replaces the lines that are not kept by comments. */
function lineFilter(isKept: (line: string) => boolean): TransformStream<string, string> {
  let held = ''
  return new TransformStream({
    transform(text, controller) {
      // The end of a line, `\r\n` too, stays with the line or becomes an empty one.
      const lines = text.split(/(?<=[\r\n])/)
      lines[0] = held + (lines[0] ?? '')
      held = /[\r\n]$/.test(text) ? '' : (lines.pop() ?? '')
      if (held.length > LINE_CHARACTERS_MAX) throw new Error('an event of the stream is too long')
      const kept = lines.map((line) => (isKept(line) ? line : line.replace(/.*/, ':')))
      if (kept.length > 0) controller.enqueue(kept.join(''))
    },
    flush(controller) {
      controller.enqueue(held)
    },
  })
}

function lacksChoices(line: string): boolean {
  if (!line.startsWith('data:')) return false
  const event = parseJson(line.slice('data:'.length))
  if (!isRecord(event) || Array.isArray(event['choices'])) return false
  return event['error'] === undefined && event['object'] !== 'error'
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
