import {
  finishReason,
  type ModelExchange,
  type ModelServer,
  sendJson,
  sendStream,
  sseEvent,
  startModelServer,
} from './model-server.ts'

export interface OpenAiEmulatorOptions {
  /** The chat's answer to a request body; a fixed sentence by default. */
  reply?: (body: Record<string, unknown>) => string
  /** Dimensions of an embedding unless the request names its own; 64 by default. */
  dimensions?: number
  /** If given, a request with more inputs is refused, as by Hugging Face's server. */
  inputsMax?: number
  /** If given, an embedding of a longer text is refused, as by Ollama. */
  charactersMax?: number
  /** Omits the index 0 of an embedding, as Gemini does, and lists embeddings in order. */
  omitsIndexZero?: boolean
  /** If given, any other bearer token is refused with 401. */
  apiKey?: string
}

export interface OpenAiEmulator extends ModelServer {
  /** With the version path, for `EMBEDDING_BASE_URL` and `LLM_BASE_URL`. */
  readonly baseUrl: string
}

/**
 * A loopback server for the OpenAI API: `POST /v1/embeddings` and `POST /v1/chat/completions`, streamed or not. An
 * embedding is the sum of its words' directions, so texts with shared words are near each other. It has length 3
 * instead of 1, and the list is in reverse order: a client must normalize and use `index`.
 */
export async function startOpenAiEmulator(options: OpenAiEmulatorOptions = {}): Promise<OpenAiEmulator> {
  const server: ModelServer = await startModelServer(async (exchange) => {
    const { path, response } = exchange
    const authorization = server.requests.at(-1)?.headers.authorization
    if (options.apiKey !== undefined && authorization !== `Bearer ${options.apiKey}`) {
      sendJson(response, 401, {
        error: { message: `Incorrect API key provided: ${authorization}`, type: 'auth' },
      })
    } else if (path === '/v1/embeddings') answerEmbeddings(exchange, options)
    else if (path === '/v1/chat/completions') await answerChat(exchange, options)
    else
      sendJson(response, 404, { error: { message: `Unknown path ${path}`, type: 'invalid_request_error' } })
  })
  return { ...server, baseUrl: `${server.origin}/v1` }
}

function answerEmbeddings({ body, fault, response }: ModelExchange, options: OpenAiEmulatorOptions): void {
  const inputs = Array.isArray(body['input']) ? body['input'].map(String) : [String(body['input'])]
  if (fault?.kind === 'cut') {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '10000' })
    response.write('{"object":"list","data":[', () => response.destroy())
    return
  }
  const { inputsMax = Infinity, charactersMax = Infinity } = options
  if (inputs.length > inputsMax) {
    const error = `batch size ${inputs.length} > maximum allowed batch size ${inputsMax}`
    sendJson(response, 422, { error, error_type: 'Validation' })
    return
  }
  if (inputs.some(({ length }) => length > charactersMax)) {
    const message = 'the input length exceeds the context length'
    sendJson(response, 400, { error: { message, type: 'api_error' } })
    return
  }
  const asked = typeof body['dimensions'] === 'number' ? body['dimensions'] : (options.dimensions ?? 64)
  const dimensions = fault?.kind === 'wrong-dimensions' ? asked - 1 : asked
  const data = inputs.map((input, index) => ({
    object: 'embedding',
    index: fault?.kind === 'missing-index' ? index + 1 : index,
    embedding: wordEmbedding(input, dimensions),
  }))
  const listed = options.omitsIndexZero ? data.map(withoutIndexZero) : data.toReversed()
  sendJson(response, 200, { object: 'list', model: body['model'], data: listed, usage: {} })
}

function withoutIndexZero({ index, ...entry }: { index: number }): object {
  return index === 0 ? entry : { index, ...entry }
}

/** The sum of the directions of a text's words (FNV-1a of each), at length 3. */
function wordEmbedding(text: string, dimensions: number): number[] {
  const vector = Array.from({ length: dimensions }, () => 0)
  vector[0] = 0.01
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    let hash = 0x811c9dc5
    for (const char of word) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193) >>> 0
    const position = hash % dimensions
    vector[position] = (vector[position] ?? 0) + 1
  }
  const length = Math.hypot(...vector)
  return vector.map((value) => (3 * value) / length)
}

async function answerChat(exchange: ModelExchange, options: OpenAiEmulatorOptions): Promise<void> {
  const { body, response } = exchange
  const text = options.reply?.(body) ?? 'The answer is in the first document [1].'
  const frame = { id: 'chatcmpl-1', created: 1, model: body['model'] }
  if (body['stream'] !== true) {
    const choice = { index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }
    sendJson(response, 200, { ...frame, object: 'chat.completion', choices: [choice], usage: {} })
    return
  }
  const chunk = (delta: object, finish: string | null = null): string =>
    sseEvent({
      ...frame,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason: finish }],
    })
  const finish = finishReason(exchange.fault, { limit: 'length', normal: 'stop' })
  const wire = {
    before: [chunk({ role: 'assistant', content: '' })],
    delta: (content: string) => [chunk({ content })],
    error: (message: string) => [sseEvent({ error: { message, type: 'server_error' } })],
    after: [chunk({}, finish), 'data: [DONE]'],
  }
  await sendStream(exchange, wire, text)
}
