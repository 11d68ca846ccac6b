import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ReceivedEvent {
  headers: IncomingHttpHeaders
  body: string
  bytes: Buffer
  /** Tests read into it and assert what they find. */
  // oxlint-disable-next-line typescript/no-explicit-any
  event: any
}

export interface WebhookReceiver {
  url: string
  port: number
  received: ReceivedEvent[]
  close(): Promise<void>
}

/** A receiver of a workspace's webhooks on loopback. `answer` answers each request, by default with 204. */
export async function startReceiver(
  answer: (response: ServerResponse, request: IncomingMessage) => void = (response) =>
    void response.writeHead(204).end(),
): Promise<WebhookReceiver> {
  const received: ReceivedEvent[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const bytes = Buffer.concat(chunks)
      const body = bytes.toString()
      const isJson = body !== '' && request.headers['content-type'] !== 'application/x-protobuf'
      received.push({ headers: request.headers, body, bytes, event: isJson ? JSON.parse(body) : null })
      answer(response, request)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    received,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
