import { createServer, request as forward } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A loopback server that forwards every request with a key added, for tools that cannot send one. */
export async function startBearerProxy(
  target: string,
  key: string,
): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const { method, headers, url } = request
    // Keeps the requested host name, which the service checks.
    const outgoing = forward(
      new URL(url ?? '/', target),
      { method, headers: { ...headers, authorization: `Bearer ${key}` } },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      },
    )
    outgoing.once('error', (error) => response.destroy(error))
    request.pipe(outgoing)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
