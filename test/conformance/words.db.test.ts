import { hash } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ERROR_CODES } from '../../src/kernel/error-codes.ts'
import { startIssuer, type TestIssuer } from '../support/issuer.ts'
import { signIn } from '../support/people.ts'
import {
  type Answer,
  OPERATOR_TOKEN,
  startTestService,
  type TestOrganization,
  type TestService,
} from '../support/service.ts'

let issuer: TestIssuer
let service: TestService
let organization: TestOrganization
let ownerToken: string

beforeAll(async () => {
  issuer = await startIssuer()
  service = await startTestService({ environment: issuer.environment })
  organization = await service.organization()
  const membership = { organizationId: organization.id, role: 'owner' as const }
  ownerToken = (await signIn(service, issuer, 'owner', membership)).token
})
afterAll(async () => {
  await service.close()
  await issuer.close()
})

const search = (body: unknown): Promise<Answer> =>
  service.call('POST', '/v1/search', { key: organization.adminKey, body })
const asBrowser = (path: string): Promise<Answer> =>
  service.call('GET', path, { headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } })

describe('a validation error', () => {
  it('says plainly which field is wrong and why [ERR-2]', async () => {
    expect((await search({})).body).toMatchObject({
      error: 'query is required',
      issues: [{ path: 'query', message: 'query is required' }],
    })
    expect((await search({ query: 'x', limit: 26 })).body.error).toBe('limit must be from 1 to 25')
    expect((await search({ query: 'x', filter: { providers: ['google'] } })).body.error).toMatch(
      /^filter\.providers\.0 must be one of "slack", "google_drive", "notion", "gmail"/,
    )
    const { body } = await service.call('GET', '/v1/audit-events?limit=many', { key: organization.adminKey })
    expect(body.error).toBe('limit must be a whole number')
  })

  it('names a misspelled field first, with the nearest known one [ERR-2, ERR-10]', async () => {
    expect((await search({ limit: 0, quary: 'x' })).body).toMatchObject({
      error: 'unknown field "quary"; did you mean "query"? (and 2 more)',
      issues: [{ path: 'quary' }, { path: 'query' }, { path: 'limit' }],
    })
  })
})

describe('a 401', () => {
  const agent = (authorization?: string): Promise<Answer> => ask('/v1/sources', authorization)
  const ask = (path: string, authorization?: string): Promise<Answer> =>
    service.call('GET', path, {
      headers: authorization === undefined ? {} : { Authorization: authorization },
    })

  it.each([
    ['nothing', undefined, /header is missing; send an API key as Authorization: Bearer svc_…/],
    ['another scheme', 'Basic eDp5', /does not use the Bearer scheme/],
    ['a key alone', `svc_${'A'.repeat(43)}`, /lacks the word Bearer/],
    ['the word alone', 'Bearer', /nothing after the word Bearer/],
    ['two tokens', 'Bearer svc_a svc_b', /white space inside its token/],
  ])('says what is wrong with a header that has %s [ERR-18]', async (_what, authorization, words) => {
    const { status, body, headers } = await agent(authorization)
    expect({ status, code: body.code }).toEqual({ status: 401, code: 'unauthenticated' })
    expect(body.error).toMatch(words)
    // RFC 6750, 3.1: a request without a token gets no error code.
    expect(headers.get('www-authenticate')).toBe('Bearer realm="Retrieval Memory Service"')
  })

  it('says where to send a token that reached the wrong surface [ERR-18, SURF-1, SURF-2]', async () => {
    expect((await agent(`Bearer ${ownerToken}`)).body.error).toContain('/v1/console accept')
    expect((await agent(`Bearer ${OPERATOR_TOKEN}`)).body.error).toContain('begins with svc_')
    const console = await ask('/v1/console/me', `Bearer ${organization.adminKey}`)
    expect(console.body.error).toContain('API keys are not accepted under /v1/console')
    const operator = await ask('/operator/organizations', `Bearer ${organization.adminKey}`)
    expect(operator.body.error).toContain('API keys are not accepted here')
    expect((await ask('/operator/organizations')).body.error).toContain("send the operator's token")
  })

  it('never says why a key is invalid: unknown, malformed and revoked keys get the same answer [ERR-18]', async () => {
    const revoked = await organization.mint()
    await service.call('DELETE', `/v1/api-keys/${revoked.id}`, { key: organization.adminKey })
    const answers = await Promise.all(
      [revoked.secret, `svc_${'A'.repeat(43)}`, 'svc_', 'svc_short', `${organization.adminKey}x`].map(
        (secret) => agent(`Bearer ${secret}`),
      ),
    )
    const seen = answers.map(({ status, text, headers }) => ({
      status,
      text,
      authenticate: headers.get('www-authenticate'),
      length: headers.get('content-length'),
    }))
    expect(seen[0]).toMatchObject({
      status: 401,
      authenticate: 'Bearer realm="Retrieval Memory Service", error="invalid_token"',
    })
    for (const one of seen) expect(one).toEqual(seen[0])
  })

  it('differs from a 403, which names the missing action [AUTH-2]', async () => {
    const { secret } = await organization.mint({ actions: ['ask'] })
    const { status, headers } = await agent(`Bearer ${secret}`)
    expect(status).toBe(403)
    expect(headers.get('www-authenticate')).toBe(
      'Bearer realm="Retrieval Memory Service", error="insufficient_scope", scope="sources:read"',
    )
  })
})

describe('the documentation of an error', () => {
  it('is linked from its body, and has an entry for every code [ERR-19]', async () => {
    const { documentation } = (await search({})).body
    expect(documentation).toBe(`${service.url}/errors#validation_failed`)
    const page = await (await fetch(documentation)).text()
    for (const [code, status] of Object.entries(ERROR_CODES)) {
      const entry = page.split(`<section id="${code}">`)[1]?.split('</section>')[0] ?? ''
      expect(entry, code).toContain(`<code>${code}</code> <span class="quiet">${status}</span>`)
      // An explanation, not only a name.
      expect(entry.replaceAll(/<[^>]*>/g, '').length, code).toBeGreaterThan(code.length + 30)
    }
  })
})

describe('a nearly correct path', () => {
  it('is answered with or without a trailing slash [ERR-20]', async () => {
    const key = organization.adminKey
    const body = { query: 'x' }
    expect((await service.call('POST', '/v1/search/', { key, body })).status).toBe(200)
    expect((await service.call('POST', '/v1/context/', { key, body })).body.contract.endpoint).toBe(
      '/v1/context',
    )
    expect(
      (await service.call('GET', `/v1/sources/${organization.sources.slack}/channels/`, { key })).status,
    ).not.toBe(404)
    const wrong = await service.call('GET', '/v1/search/', { key })
    expect({ status: wrong.status, allow: wrong.headers.get('allow') }).toEqual({
      status: 405,
      allow: 'POST',
    })
  })

  it.each([
    ['POST', '/v1/serach', 'POST /v1/search'],
    ['GET', '/v1/serach', 'POST /v1/search'],
    ['POST', '/search', 'POST /v1/search'],
    ['POST', '//v1/search', 'POST /v1/search'],
    ['POST', '/V1/SEARCH', 'POST /v1/search'],
    ['DELETE', '/v1/api-key/some-id', 'DELETE /v1/api-keys/{id}'],
    ['GET', '/v1/source/1/channels', 'GET /v1/sources/{id}/channels'],
    ['GET', '/healtz', 'GET /healthz'],
    ['GET', '/doc', 'GET /docs'],
  ])('%s %s gets the hint %s [ERR-5, ERR-20]', async (method, path, meant) => {
    const { status, body } = await service.call(method, path)
    expect({ status, code: body.code }).toEqual({ status: 404, code: 'not_found' })
    expect(body.error).toBe(`There is no ${method} ${path}; did you mean ${meant}?`)
  })

  it.each(['/v1/completely/different', '/.env', '/operator/organisations', `/v1/search${'h'.repeat(5_000)}`])(
    '%.40s gets no far-fetched or long hint [ERR-5, ERR-20]',
    async (path) => {
      const { status, body } = await service.call('POST', path)
      expect(status).toBe(404)
      expect(body.error).not.toContain('did you mean')
      expect(body.error.length).toBeLessThan(300)
    },
  )

  it('gets the same hint whatever is stored [ERR-6, ERR-20]', async () => {
    const own = await service.call('GET', `/v1/source/${organization.sources.slack}/channels`)
    const none = await service.call('GET', '/v1/source/00000000-0000-4000-8000-000000000000/channels')
    const hint = (answer: Answer): string => answer.body.error.split(';')[1]
    expect(hint(own)).toBe(hint(none))
  })
})

describe('TRACE', () => {
  it.each(['/v1/search', '/docs', '/', '/mcp', '/metrics', '/oidc/token', '/nothing/here'])(
    '%s is refused like any wrong method, and echoes nothing [ERR-7]',
    async (path) => {
      const { hostname, port } = new URL(service.url)
      const sent = request({ hostname, port, path, method: 'TRACE', headers: { 'X-Mine': 'secret-of-mine' } })
      sent.end()
      const [response]: IncomingMessage[] = await once(sent, 'response')
      if (!response) throw new Error('nothing was answered')
      const body = await readText(response)
      expect(response.statusCode).toBe(405)
      expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
      expect(response.headers['x-request-id']).toMatch(/^[\da-f-]{36}$/)
      expect(response.headers).toHaveProperty('allow')
      expect(JSON.parse(body)).toMatchObject({ code: 'method_not_allowed' })
      expect(body).not.toContain('secret-of-mine')
    },
  )
})

describe('a page', () => {
  it.each([
    ['/', 'GET, HEAD'],
    ['/docs/', 'GET, HEAD'],
    ['/errors', 'GET, HEAD'],
    ['/metrics', 'GET, HEAD'],
    ['/llms.txt?x=1', 'GET, HEAD'],
  ])('%s returns 405 for another method and names its own [ERR-7]', async (path, allow) => {
    for (const method of ['POST', 'DELETE', 'OPTIONS']) {
      const answer = await service.call(method, path)
      expect(answer, method).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } })
      expect(answer.headers.get('allow')).toBe(allow)
    }
  })
})

describe('in a browser', () => {
  it("the service's root shows what it is, whether it is ready and where to begin [OPS-7]", async () => {
    const { status, headers, text } = await asBrowser('/')
    expect({ status, type: headers.get('content-type') }).toEqual({
      status: 200,
      type: 'text/html; charset=utf-8',
    })
    expect(text).toContain('It is ready.')
    for (const path of ['/docs', '/errors', '/openapi.json']) {
      const href = `${service.url}${path}`
      expect(text).toContain(`href="${href}"`)
      expect((await fetch(href)).status).toBe(200)
    }
  })

  it('an unknown path shows a page that repeats nothing as HTML [OPS-7, ERR-11]', async () => {
    const { status, headers, text } = await asBrowser('/doc<script>alert(1)</script>')
    expect({ status, type: headers.get('content-type') }).toEqual({
      status: 404,
      type: 'text/html; charset=utf-8',
    })
    expect(text).not.toContain('<script')
    expect((await asBrowser('/doc')).text).toContain('Did you mean <code>GET /docs</code>?')
  })

  it('pages may run nothing and load nothing [OPS-7]', async () => {
    for (const path of ['/', '/nothing', '/errors']) {
      const { headers, text } = await asBrowser(path)
      const policy = headers.get('content-security-policy') ?? ''
      expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/=]+'; base-uri 'none'/)
      const style = /<style>([^]*)<\/style>/.exec(text)?.[1] ?? ''
      expect(policy).toContain(`'sha256-${hash('sha256', style, 'base64')}'`)
      expect(policy).not.toContain('unsafe')
      expect(text).not.toMatch(/<script|<img|style=|<link/)
    }
  })

  it('only browsers get pages: programs get JSON at the same paths [OPS-7, ERR-1]', async () => {
    expect(await service.call('GET', '/')).toMatchObject({
      status: 200,
      body: { service: 'Retrieval Memory Service', ready: true, documentation: `${service.url}/docs` },
    })
    expect((await service.call('GET', '/nothing')).body.code).toBe('not_found')
  })
})
