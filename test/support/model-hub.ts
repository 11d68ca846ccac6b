import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import type { AddressInfo } from 'node:net'

/** A model hub on loopback. */
export interface ModelHub {
  readonly url: string
  /** Paths of requested files, in order. */
  readonly asked: string[]
  close(): Promise<void>
}

/** Starts a hub with one model, whose files are in `folder`, with the weights also as the quantized ones. */
export async function startModelHub(repository: string, folder: string): Promise<ModelHub> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const path = (request.url ?? '').replace(`/${repository}/resolve/main/`, '')
    asked.push(path)
    readFile(join(folder, path.replace('_quantized', ''))).then(
      (content) => response.end(content),
      () => response.writeHead(404).end(),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
