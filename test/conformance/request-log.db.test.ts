import { Writable } from 'node:stream'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { documentOf, push } from '../support/documents.ts'
import { startIssuer, type TestIssuer } from '../support/issuer.ts'
import { type Person, signIn } from '../support/people.ts'
import { type Answer, startTestService, type TestOrganization, type TestService } from '../support/service.ts'
import { until } from '../support/until.ts'

let issuer: TestIssuer
let service: TestService
let organization: TestOrganization
let ada: Person
const lines: { level: number; requestId?: string; status?: number }[] = []
const logger = pino(
  new Writable({
    write(line, _encoding, done) {
      lines.push(JSON.parse(String(line)))
      done()
    },
  }),
)
let asks = 0
/** Says one word, then nothing until its caller leaves. */
const silent = {
  id: 'silent',
  async *stream(_prompt: unknown, signal: AbortSignal) {
    asks += 1
    yield 'Employees '
    await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  },
}

beforeAll(async () => {
  issuer = await startIssuer()
  const environment = { ...issuer.environment, API_RATE_LIMIT_PER_MIN: '20' }
  service = await startTestService({ environment, languageModel: silent, logger })
  organization = await service.organization()
  ada = await signIn(service, issuer, 'ada', { organizationId: organization.id, role: 'owner' })
})
afterAll(async () => {
  await service.close()
  await issuer.close()
})

const list = (query = ''): Promise<Answer> =>
  service.call('GET', `/v1/console/request-log${query}`, { key: ada.token })
const search = (key: string, body: unknown = { query: 'a secret question' }): Promise<Answer> =>
  service.call('POST', '/v1/search', { key, body })

describe('GET /v1/console/request-log', () => {
  it('lists served and refused requests of keys with status, duration, credits and request ID [CON-22]', async () => {
    const { id, secret } = await organization.mint({ actions: ['search'] })
    const served = await search(secret)
    const malformed = await search(secret, { query: 1 })
    const forbidden = await service.call('POST', '/v1/ask', { key: secret, body: { query: 'x' } })
    const missing = await service.call('GET', `/v1/source-items/${id}`, { key: secret })
    while ((await search(secret)).status !== 429);
    expect([served, malformed, forbidden, missing].map(({ status }) => status)).toEqual([200, 400, 403, 404])
    const { status, body } = await list(`?apiKeyId=${id}`)
    expect(status).toBe(200)
    const shape = {
      apiKeyId: id,
      keyName: 'test',
      isMcp: false,
      credits: 0,
      method: 'POST',
      path: '/v1/search',
    }
    expect(body.requests.slice(0, 2)).toMatchObject([
      { ...shape, status: 429 },
      { ...shape, status: 200, credits: 1 },
    ])
    expect(body.requests.slice(-4)).toMatchObject([
      { ...shape, method: 'GET', path: '/v1/source-items/{id}', status: 404 },
      { ...shape, path: '/v1/ask', status: 403 },
      { ...shape, status: 400, requestId: malformed.headers.get('x-request-id') },
      { ...shape, status: 200, credits: 1, requestId: served.headers.get('x-request-id') },
    ])
    expect(JSON.stringify(body)).not.toContain('secret question')
  })

  it.each([
    ['a streamed answer, with its credit', 'text/event-stream', { status: 200, credits: 1 }],
    ['an answer that was not sent, as 499', 'application/json', { status: 499, credits: 0 }],
  ])(
    'lists %s, if the client disconnected, and reports no fault [CON-22]',
    async (_what, accept, expected) => {
      const { id, secret } = await organization.mint()
      await push(service, organization, documentOf(organization))
      const before = asks
      const leaving = new AbortController()
      const asked = fetch(`${service.url}/v1/ask`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json', Accept: accept },
        body: JSON.stringify({ query: 'paid time off' }),
        signal: leaving.signal,
      }).catch(() => null)
      if (accept === 'text/event-stream') await (await asked)?.body?.getReader().read()
      else
        await until(
          'the model is asked',
          () => asks,
          (count) => count > before,
        )
      leaving.abort()
      const read = async () => (await list(`?apiKeyId=${id}`)).body.requests
      const [logged] = await until('the request is logged', read, ({ length }) => length > 0)
      expect(logged).toMatchObject({ path: '/v1/ask', ...expected })
      const ofRequest = lines.filter(({ requestId }) => requestId === logged.requestId)
      expect(ofRequest).toMatchObject([{ level: 30, status: expected.status }])
    },
  )

  it('filters by key, status and path, and pages [CON-22]', async () => {
    const one = await organization.mint()
    const other = await organization.mint()
    await search(one.secret)
    await search(one.secret, {})
    await service.call('GET', '/v1/sources', { key: one.secret })
    await search(other.secret)
    const statuses = async (query: string) => {
      const { body } = await list(query)
      return body.requests.map(({ status }: { status: number }) => status)
    }
    const of = `?apiKeyId=${one.id}`
    expect(await statuses(of)).toEqual([200, 400, 200])
    expect(await statuses(`${of}&status=4xx`)).toEqual([400])
    expect(await statuses(`${of}&status=400`)).toEqual([400])
    expect(await statuses(`${of}&path=/v1/search`)).toEqual([400, 200])
    const first = await list(`${of}&limit=2`)
    const next = await list(`${of}&limit=2&cursor=${first.body.nextCursor}`)
    expect([first.body.requests.length, next.body.requests.length, next.body.nextCursor]).toEqual([
      2,
      1,
      null,
    ])
  })
})

describe('the request log of another workspace', () => {
  it('is not shown, and members see none [CON-22]', async () => {
    const other = await service.organization()
    const bob = await signIn(service, issuer, 'bob', { organizationId: other.id, role: 'admin' })
    const cy = await signIn(service, issuer, 'cy', { organizationId: organization.id, role: 'member' })
    await service.call('GET', '/v1/sources', { key: organization.adminKey })
    const seen = await service.call('GET', '/v1/console/request-log', { key: bob.token })
    expect(seen.body).toEqual({ requests: [], nextCursor: null })
    expect((await service.call('GET', '/v1/console/request-log', { key: cy.token })).status).toBe(403)
    expect((await list('?status=9xx')).status).toBe(400)
  })
})
