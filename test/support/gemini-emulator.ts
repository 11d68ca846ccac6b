import { finishReason, type ModelServer, sendStream, sseEvent, startModelServer } from './model-server.ts'

/** A loopback server for Google's `POST /v1beta/models/{model}:streamGenerateContent`; `reply` is its answer. */
export async function startGeminiEmulator(
  reply: (body: Record<string, unknown>) => string = () => 'The answer is in the first document [1].',
): Promise<ModelServer & { readonly baseUrl: string }> {
  const server = await startModelServer(async (exchange) => {
    const finish = finishReason(exchange.fault, { limit: 'MAX_TOKENS', normal: 'STOP' })
    const wire = {
      before: [],
      delta: (text: string) => [chunk(text)],
      error: (message: string) => [sseEvent({ error: { code: 503, message, status: 'UNAVAILABLE' } })],
      after: [chunk('', finish)],
    }
    await sendStream(exchange, wire, reply(exchange.body))
  })
  return { ...server, baseUrl: `${server.origin}/v1beta` }
}

function chunk(text: string, finish?: string): string {
  const content = { role: 'model', parts: [{ text }] }
  return sseEvent({ candidates: [{ index: 0, content, ...(finish ? { finishReason: finish } : {}) }] })
}
