import { once } from 'node:events'
import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { documentOf, push } from '../support/documents.ts'
import { type Answer, startTestService, type TestOrganization, type TestService } from '../support/service.ts'

let service: TestService
let acme: TestOrganization

beforeAll(async () => {
  service = await startTestService()
  acme = await service.organization()
  await push(service, acme, documentOf(acme))
})
afterAll(() => service.close())

/** A message sent without a client library. */
const send = (
  message: unknown,
  { key = acme.adminKey, headers = {} }: { key?: string; headers?: Record<string, string> } = {},
) =>
  service.call('POST', '/mcp', {
    key,
    body: message,
    headers: { ...JSON_HEADERS, ...headers },
  })
const JSON_HEADERS = { Accept: 'application/json, text/event-stream', 'Content-Type': 'application/json' }
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }

describe('/mcp', () => {
  it('shows a caller without a key where tokens come from', async () => {
    const refused = await service.call('POST', '/mcp', { body: LIST })
    expect(refused).toMatchObject({ status: 401, body: { code: 'unauthenticated' } })
    const metadata =
      /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '')?.[1] ?? ''
    for (const path of [metadata.replace(service.url, ''), '/.well-known/oauth-protected-resource']) {
      const { status, body } = await service.call('GET', path)
      expect(status).toBe(200)
      expect(body).toMatchObject({
        resource: `${service.url}/mcp`,
        authorization_servers: [expect.stringContaining(service.url)],
        bearer_methods_supported: ['header'],
      })
    }
  })

  it.each(['GET', 'DELETE', 'PUT'])('has no sessions and no streams to open: %s is 405', async (method) => {
    const { status, headers, body } = await service.call(method, '/mcp', { key: acme.adminKey })
    expect({ status, code: body.code, allow: headers.get('allow') }).toEqual({
      status: 405,
      code: 'method_not_allowed',
      allow: 'POST',
    })
  })

  it.each(['https://evil.example', 'null'])('refuses pages of the origin %s', async (origin) => {
    expect(await send(LIST, { headers: { Origin: origin } })).toMatchObject({
      status: 403,
      body: { code: 'origin_not_allowed' },
    })
    expect((await send(LIST, { headers: { Origin: service.url } })).status).toBe(200)
  })

  it('on loopback answers only to loopback host names, which prevents DNS rebinding', async () => {
    const { port } = new URL(service.url)
    const statusAt = async (host: string, origin: string): Promise<number | undefined> => {
      const headers = { host, origin, authorization: `Bearer ${acme.adminKey}`, ...JSON_HEADERS }
      const asked = request(`${service.url}/mcp`, { method: 'POST', headers })
      asked.end(JSON.stringify(LIST))
      const [answer] = await once(asked, 'response')
      answer.resume()
      return answer.statusCode
    }
    expect(await statusAt(`localhost:${port}`, `http://localhost:${port}`)).toBe(200)
    expect(await statusAt(`evil.example:${port}`, `http://evil.example:${port}`)).toBe(403)
    expect(await statusAt(`localhost:${port}`, 'http://localhost:1')).toBe(403)
  })

  it("accepts JSON of the protocol's media type", async () => {
    expect((await send(LIST, { headers: { 'Content-Type': 'text/plain' } })).status).toBe(415)
    const half = await service.call('POST', '/mcp', { key: acme.adminKey, raw: '{"jsonrpc":' })
    expect(half).toMatchObject({ status: 400, body: { code: 'malformed_json' } })
  })

  it('supports 2025-03-26 and later, but no earlier version', async () => {
    const versionFor = async (protocolVersion: string): Promise<unknown> => {
      const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } }
      const { text } = await send({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
      return /"protocolVersion":"([^"]+)"/.exec(text)?.[1]
    }
    for (const version of ['2025-03-26', '2025-06-18', '2025-11-25'])
      expect(await versionFor(version)).toBe(version)
    expect(await versionFor('2024-11-05')).toBe('2025-11-25')
  })

  it('answers a batch of messages, which 2025-03-26 has, and refuses a long one', async () => {
    const { status, text } = await send([
      LIST,
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 2, method: 'ping' },
    ])
    expect(status).toBe(200)
    const answers = [...text.matchAll(/^data: (\{.*)$/gm)].map(([, json = '']) => JSON.parse(json))
    expect(answers.map(({ id }) => id).toSorted()).toEqual([1, 2])
    const many = await send(Array.from({ length: 21 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' })))
    const error = 'The body must have at most 20 messages'
    expect(many).toMatchObject({ status: 400, body: { code: 'validation_failed', error } })
  })

  it.each(['2025-06-18', '2025-11-25'])('refuses a batch of %s, which has none', async (version) => {
    const { status, body } = await send([LIST], { headers: { 'MCP-Protocol-Version': version } })
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { jsonrpc: '2.0', id: null, error: { code: -32_600, message: expect.stringContaining(version) } },
    })
    expect((await send([LIST], { headers: { 'MCP-Protocol-Version': '2025-03-26' } })).status).toBe(200)
  })

  it('accepts messages of 2026-07-28, each with its own envelope, and ends a subscription after its acknowledgment', async () => {
    const version = '2026-07-28'
    const sendModern = (method: string, params: Record<string, unknown>): Promise<Answer> => {
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': version,
        'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      }
      const name = typeof params['name'] === 'string' ? { 'Mcp-Name': params['name'] } : undefined
      const headers = { 'MCP-Protocol-Version': version, 'Mcp-Method': method, ...name }
      return send({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }, { headers })
    }
    const { body: listed } = await sendModern('tools/list', {})
    expect(listed.result.tools.map(({ name }: { name: string }) => name)).toContain('search')
    const { body: found } = await sendModern('tools/call', {
      name: 'search',
      arguments: { query: 'vacation days', limit: 1 },
    })
    expect(found.result.structuredContent.results).toHaveLength(1)
    const { text } = await sendModern('subscriptions/listen', { notifications: { toolsListChanged: true } })
    const frames = [...text.matchAll(/^data: (\{.*)$/gm)].map(([, json = '']) => JSON.parse(json))
    expect(frames).toMatchObject([
      { method: 'notifications/subscriptions/acknowledged', params: { notifications: {} } },
      { id: 1, result: { resultType: 'complete' } },
    ])
  })
})

describe('the limits of /mcp', () => {
  const LONG = 'x'.repeat(300 * 1024)

  it('refuses an overlong uri with a JSON-RPC error', async () => {
    for (const length of [2_100, 200_000]) {
      const params = { uri: `memory://items/${'a'.repeat(length)}` }
      const { status, body } = await send({ jsonrpc: '2.0', id: 7, method: 'resources/read', params })
      expect({ status, id: body.id, ...body.error }).toEqual({
        status: 400,
        id: 7,
        code: -32602,
        message: 'A uri has at most 2048 characters',
      })
    }
  })

  it('refuses a large message that stores nothing with a JSON-RPC error', async () => {
    const uri = `memory://items/${'a'.repeat(1_500_000)}`
    for (const [method, params] of [
      ['tools/call', { name: 'search', arguments: { query: LONG } }],
      ['resources/read', { uri }],
      ['initialize', { protocolVersion: LONG }],
    ] as const) {
      const { status, body } = await send({ jsonrpc: '2.0', id: 'a', method, params })
      expect({ status, id: body.id, code: body.error.code }).toEqual({ status: 413, id: 'a', code: -32600 })
    }
  })

  it('stores a large document', async () => {
    const document = documentOf(acme, { externalId: 'large', body: LONG.replaceAll('xxxxxxx', 'word xx') })
    const params = { name: 'remember', arguments: document }
    const { status, text } = await send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    expect(status).toBe(200)
    expect(text).toContain('"ingested":1')
  })

  it('stops reading at an unknown field', async () => {
    const raw = `{"jsonrpc":"2.0","junk":[${'[],'.repeat(100_000)}`
    const refused = await service.call('POST', '/mcp', { key: acme.adminKey, raw, headers: JSON_HEADERS })
    expect(refused).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
    expect(refused.body.error).toContain('unknown field')
  })

  it("counts a key's messages in a separate window, before it reads a body", async () => {
    const limited = await startTestService({
      database: service.database,
      environment: { API_RATE_LIMIT_PER_MIN: '1' },
    })
    try {
      const { secret: key } = await acme.mint()
      const ping = (raw: string): Promise<Answer> =>
        limited.call('POST', '/mcp', { key, raw, headers: JSON_HEADERS })
      const valid = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
      for (let count = 0; count < 10; count += 1) expect((await ping(valid)).status).toBe(200)
      const refused = await ping('{"never": "read"')
      expect(refused).toMatchObject({
        status: 429,
        body: { code: 'rate_limited', action: 'mcp', limit: 10, retryAfterSeconds: expect.any(Number) },
      })
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
      const search = { key, body: { query: 'days' } }
      expect((await limited.call('POST', '/v1/search', search)).status).toBe(200)
    } finally {
      await limited.close()
    }
  })
})
