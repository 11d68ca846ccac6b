import { finishReason, type ModelServer, sendStream, sseEvent, startModelServer } from './model-server.ts'

/** A loopback server for Anthropic's `POST /v1/messages`, streaming only; `reply` is its answer. */
export async function startAnthropicEmulator(
  reply: (body: Record<string, unknown>) => string = () => 'The answer is in the first document [1].',
): Promise<ModelServer & { readonly baseUrl: string }> {
  const server = await startModelServer(async (exchange) => {
    const message = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: exchange.body['model'],
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    }
    const stopReason = finishReason(exchange.fault, { limit: 'max_tokens', normal: 'end_turn' })
    const stop = { delta: { stop_reason: stopReason, stop_sequence: null }, usage: { output_tokens: 9 } }
    const wire = {
      before: [
        named('message_start', { message }),
        named('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
      ],
      delta: (text: string) => [
        named('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }),
      ],
      error: (words: string) => [named('error', { error: { type: 'overloaded_error', message: words } })],
      after: [named('content_block_stop', { index: 0 }), named('message_delta', stop), named('message_stop')],
    }
    await sendStream(exchange, wire, reply(exchange.body))
  })
  return { ...server, baseUrl: `${server.origin}/v1` }
}

function named(type: string, fields: object = {}): string {
  return sseEvent({ type, ...fields }, type)
}
