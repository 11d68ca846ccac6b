import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import type { AddressInfo } from 'node:net'
import type { KnownModel } from '../../src/inference/embedding-models/known-models.ts'

const COMMIT = '0123456789abcdef0123456789abcdef01234567'

export type HubFault = 'missing' | 'changed' | 'longer' | 'cut' | 'stalled'

/** A model hub on loopback, for `--mirror`. */
export interface ModelHub {
  readonly url: string
  /** Paths of requested files, in order. */
  readonly asked: string[]
  /** Faults by the path of a file in its repository. */
  readonly faults: Map<string, HubFault>
  close(): Promise<void>
}

/**
 * Starts a hub with one model, whose files lie in `folder` as Transformers.js expects: the weights as `model.onnx`,
 * served as the quantized ones. Weights are listed with their SHA-256, other files with Git's SHA-1.
 */
export async function startModelHub(model: KnownModel, folder: string): Promise<ModelHub> {
  const asked: string[] = []
  const faults = new Map<string, HubFault>()
  const contents = new Map<string, Buffer>()
  for (const path of model.files)
    contents.set(path, await readFile(join(folder, path.replace('_quantized', ''))))
  const siblings = [...contents].map(([rfilename, content]) => {
    const blobId = createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex')
    const sha256 = createHash('sha256').update(content).digest('hex')
    const lfs = rfilename.endsWith('.onnx') ? { sha256, size: content.length } : null
    return { rfilename, size: content.length, blobId, lfs }
  })
  const server = createServer((request, response) => {
    if (request.url === `/api/models/${model.repository}/revision/main?blobs=true`) {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ id: model.repository, sha: COMMIT, siblings }))
      return
    }
    const path = (request.url ?? '').replace(`/${model.repository}/resolve/${COMMIT}/`, '')
    const content = contents.get(path)
    asked.push(path)
    const fault = faults.get(path)
    if (content === undefined || fault === 'missing') {
      response.writeHead(404).end()
      return
    }
    switch (fault) {
      case 'cut':
        response.writeHead(200, { 'content-length': content.length })
        response.write(content.subarray(0, content.length / 2), () => response.destroy())
        return
      case 'stalled':
        response.writeHead(200, { 'content-length': content.length })
        response.write(content.subarray(0, content.length / 2))
        return
      case 'changed':
        response.end(Buffer.from(content).fill(32, 0, 1))
        return
      case 'longer':
        response.end(Buffer.concat([content, content]))
        return
      case undefined:
        response.end(content)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    faults,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
