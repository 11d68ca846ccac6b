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

/** A message sent without any client. */
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
  it('tells who sends no key where tokens come from', async () => {
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

  it.each(['https://evil.example', 'null'])('is closed to pages of the origin %s', async (origin) => {
    expect(await send(LIST, { headers: { Origin: origin } })).toMatchObject({
      status: 403,
      body: { code: 'origin_not_allowed' },
    })
    expect((await send(LIST, { headers: { Origin: service.url } })).status).toBe(200)
  })

  it('answers on its own machine to names of that machine alone, so that no page reaches it by a name of its own', async () => {
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

  it('takes one message at a time, of the media type that the protocol has', async () => {
    expect(await send([LIST, LIST])).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
    expect((await send(LIST, { headers: { 'Content-Type': 'text/plain' } })).status).toBe(415)
    const half = await service.call('POST', '/mcp', { key: acme.adminKey, raw: '{"jsonrpc":' })
    expect(half).toMatchObject({ status: 400, body: { code: 'malformed_json' } })
  })

  it('speaks 2025-06-18 and what came later, never what came before', async () => {
    const versionFor = async (protocolVersion: string): Promise<unknown> => {
      const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } }
      const { text } = await send({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
      return /"protocolVersion":"([^"]+)"/.exec(text)?.[1]
    }
    expect(await versionFor('2025-06-18')).toBe('2025-06-18')
    expect(await versionFor('2025-11-25')).toBe('2025-11-25')
    expect(await versionFor('2024-11-05')).toBe('2025-11-25')
  })

  it('takes messages of 2026-07-28, each with its own envelope, and opens no subscriptions', async () => {
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
    const { body: refused } = await sendModern('subscriptions/listen', {
      notifications: { toolsListChanged: true },
    })
    expect(refused.error.message).toContain('Subscription limit')
  })
})
