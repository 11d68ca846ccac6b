import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { runCommand } from '../support/run-command.ts'

const IDLE = { status: 'idle', step: null, model: null, bytesDone: 0, bytesTotal: 0, errorMessage: null }
const STATUS = {
  model: 'builtin-4',
  provider: 'builtin',
  baseUrl: null,
  movingOrganizations: 0,
  chunksTotal: 0,
  chunksDone: 0,
  moveError: null,
  isRuntimeInstalled: true,
  knownModels: [],
}

let server: Server
afterEach(() => void server.close())

describe('memory model use', () => {
  it('does not mistake a restarted service for one that has changed its model', async () => {
    server = createServer((request, response) => {
      const isAsked = request.method === 'PUT'
      const change = isAsked ? { ...IDLE, status: 'running', step: 'trying', model: 'm' } : IDLE
      request.resume()
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ ...STATUS, change }))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const ended = await runCommand(['model', 'use', 'm', '--server', 'http://127.0.0.1:11434/v1'], {
      MEMORY_URL: `http://127.0.0.1:${port}`,
      OPERATOR_TOKEN: 'operator-token',
    })
    expect(ended).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/restarted.*model is builtin-4.*run the same command again/),
    })
  })
})
