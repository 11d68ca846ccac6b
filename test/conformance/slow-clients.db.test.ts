import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { documentOf, push } from '../support/documents.ts'
import { startIssuer, type TestIssuer } from '../support/issuer.ts'
import { signIn } from '../support/people.ts'
import { startTestService, type TestOrganization, type TestService } from '../support/service.ts'

let service: TestService
let impatient: TestService
let organization: TestOrganization
let issuer: TestIssuer

beforeAll(async () => {
  issuer = await startIssuer()
  service = await startTestService({ environment: issuer.environment })
  impatient = await startTestService({
    database: service.database,
    languageModel: {
      id: 'slow',
      async *stream() {
        for (let word = 0; word < 15; word++) {
          yield 'word '
          await sleep(100)
        }
      },
    },
    timeouts: { headersTimeout: 300, requestTimeout: 600, connectionsCheckingInterval: 50 },
  })
  organization = await service.organization()
})
afterAll(async () => {
  await impatient.close()
  await service.close()
  await issuer.close()
})

/** A connection that sends an unfinished request. */
function send(
  to: TestService,
  text: string,
): { socket: Socket; received: () => string; closed: Promise<void> } {
  const { hostname, port } = new URL(to.url)
  const socket = connect(Number(port), hostname, () => socket.write(text))
  let received = ''
  socket.setEncoding('utf8')
  socket.on('data', (chunk: string) => (received += chunk))
  socket.on('error', () => {})
  return {
    socket,
    received: () => received,
    closed: new Promise((resolve) => socket.once('close', () => resolve())),
  }
}

const ingestHead = (length: number): string =>
  `POST /v1/ingest HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${organization.adminKey}\r\n` +
  `Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`

describe('a client that sends slowly', () => {
  it.each([
    ['headers', () => 'GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: '],
    ['a body', () => `${ingestHead(1000)}{"documents":`],
  ])('%s gets 408 in JSON and is disconnected [ERR-15, LOAD-4]', async (_what, head) => {
    const { socket, received, closed } = send(impatient, head())
    const trickle = setInterval(() => socket.write('x'), 100)
    await closed
    clearInterval(trickle)
    expect(received()).toMatch(/^HTTP\/1\.1 408 /)
    expect(JSON.parse(received().split('\r\n\r\n', 2)[1] ?? '')).toEqual({
      error: expect.stringContaining('did not arrive in time'),
      code: 'request_timeout',
      documentation: expect.stringContaining('/errors#request_timeout'),
    })
  })

  it('is refused if its key was revoked, or its role lost, before the body arrived [KEY-12]', async () => {
    const own = await service.organization()
    const { id, secret } = await own.mint({ actions: ['admin'] })
    const admin = await signIn(service, issuer, own.id, { organizationId: own.id, role: 'admin' })
    const body = JSON.stringify({ name: 'another', allowedActions: ['admin'] })
    const begin = (path: string, token: string) =>
      send(
        service,
        `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
      )
    const slow = [begin('/v1/api-keys', secret), begin('/v1/console/api-keys', admin.token)]
    await vi.waitFor(async () => {
      const { rows } = await sql<{ subject_id: string }>`
        select subject_id from rate_windows where organization_id = ${own.id}`.execute(service.database.db)
      const counted = rows.map((row) => row.subject_id)
      expect(counted).toEqual(expect.arrayContaining([id, admin.userId]))
    }, 20_000)
    await service.call('DELETE', `/v1/api-keys/${id}`, { key: own.adminKey })
    await service.database.db
      .updateTable('memberships')
      .set({ role: 'member' })
      .where('user_id', '=', admin.userId)
      .execute()
    await sleep(1_100)
    for (const { socket } of slow) socket.write(body)
    await vi.waitFor(
      () => expect(slow.map(({ received }) => received().slice(9, 12))).not.toContain(''),
      20_000,
    )
    for (const { socket } of slow) socket.destroy()
    expect(slow.map(({ received }) => received().slice(9, 12))).toEqual(['401', '403'])
  })

  it('uses no more memory than a workspace may, and releases it on disconnect [LOAD-4, ERR-14]', async () => {
    const half = Array.from({ length: 8 }, () => send(service, `${ingestHead(10_000_000)}{"documents":`))
    const refusals = () => half.filter(({ received }) => received().includes('overloaded'))
    await vi.waitFor(() => expect(refusals()).toHaveLength(2), 20_000)
    const [refused] = refusals()
    expect(refused?.received()).toMatch(/^HTTP\/1\.1 503 [^]*\r\nretry-after: \d+\r\n/i)
    const other = await service.organization()
    const pushed = await service.call('POST', '/v1/ingest', {
      key: other.adminKey,
      raw: ' '.repeat(9_000_000),
    })
    expect(pushed).toMatchObject({ status: 400, body: { code: 'malformed_json' } })
    for (const { socket } of half) socket.destroy()
    await Promise.all(half.map(({ closed }) => closed))
    await vi.waitFor(async () => {
      const { adminKey: key } = organization
      const again = await service.call('POST', '/v1/ingest', { key, raw: ' '.repeat(9_000_000) })
      expect(again).toMatchObject({ status: 400, body: { code: 'malformed_json' } })
    }, 20_000)
  })
})

describe('a client without a token', () => {
  it('takes no memory from others with bodies that it declares and does not send [LOAD-4]', async () => {
    const head =
      'POST /v1/webhooks/slack HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n' +
      'Content-Length: 1048576\r\nExpect: 100-continue\r\n\r\n'
    const declared = Array.from({ length: 80 }, () => send(service, head))
    const received = () => [...new Set(declared.map((one) => one.received()))]
    await vi.waitFor(() => expect(received()).toEqual(['HTTP/1.1 100 Continue\r\n\r\n']), 20_000)
    const answer = await service.call('POST', '/v1/webhooks/slack', { raw: ' '.repeat(1_000_000) })
    for (const { socket } of declared) socket.destroy()
    await Promise.all(declared.map(({ closed }) => closed))
    expect(answer.body.code).toBe('not_configured')
  })
})

describe('a client that sends too large a body', () => {
  it.each([
    ['PATCH', '/v1/sources/x'],
    ['POST', '/mcp'],
  ])(
    'to %s %s can finish sending it after the response, and send another request [ERR-8]',
    async (method, path) => {
      const rest = 11_000_000
      const head =
        `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${organization.adminKey}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${rest + 1}\r\n\r\n"`
      const { socket, received } = send(service, head)
      await vi.waitFor(() => expect(received()).toMatch(/^HTTP\/1\.1 413 [^]*body_too_large/))
      socket.write(' '.repeat(rest))
      socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')
      await vi.waitFor(() => expect(received()).toContain('HTTP/1.1 200 OK'))
      socket.destroy()
    },
  )
})

describe('a streamed answer', () => {
  it('is not cut off, even when it takes longer than the request timeout [LOAD-4, ASK-8]', async () => {
    await push(service, organization, documentOf(organization))
    const answer = await impatient.call('POST', '/v1/ask', {
      key: organization.adminKey,
      body: { query: 'paid time off' },
      headers: { Accept: 'text/event-stream' },
    })
    expect(answer.status).toBe(200)
    expect(answer.text.match(/event: delta/g)?.length).toBeGreaterThan(10)
    expect(answer.text).toContain('event: done')
  })
})
