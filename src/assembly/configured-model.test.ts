import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readSettings } from '../config.ts'
import { StartupError } from '../kernel/errors.ts'
import { configuredModel } from './configured-model.ts'

let server: Server
let baseUrl: string

beforeAll(async () => {
  server = createServer((_request, response) => response.writeHead(401).end('{}'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
})
afterAll(() => server.close())

it('says which setting to change when the model server fails at the start', async () => {
  const settings = readSettings({ EMBEDDING_PROVIDER: 'openai', EMBEDDING_BASE_URL: baseUrl })
  const failure = await configuredModel(settings).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(StartupError)
  expect(String(failure)).toContain(
    'The embedding model server rejected the API key. Set EMBEDDING_API_KEY to a valid key and restart the service. (HTTP 401)',
  )
})
