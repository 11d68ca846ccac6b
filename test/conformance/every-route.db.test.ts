import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { routes } from '../../src/assembly/routes.ts'
import { ACTIONS } from '../../src/kernel/actions.ts'
import { ERROR_CODES } from '../../src/kernel/error-codes.ts'
import { databaseContents } from '../support/database-contents.ts'
import { documentOf, push } from '../support/documents.ts'
import { startIssuer, type TestIssuer } from '../support/issuer.ts'
import { signIn } from '../support/people.ts'
import {
  bearerFor,
  type AnyRoute,
  type Callers,
  callRoute,
  MISSING_ID,
  ownId,
  pathOf,
} from '../support/route-calls.ts'
import { type Answer, startTestService, type TestService } from '../support/service.ts'

let issuer: TestIssuer
let service: TestService
let callers: Callers
let others: Callers

beforeAll(async () => {
  issuer = await startIssuer()
  service = await startTestService({ environment: issuer.environment })
  callers = await makeCallers('owner')
  others = await makeCallers('stranger')
})
afterAll(async () => {
  await service.close()
  await issuer.close()
})

async function makeCallers(subject: string): Promise<Callers> {
  const organization = await service.organization()
  const membership = { organizationId: organization.id, role: 'owner' as const }
  const { token } = await signIn(service, issuer, subject, membership)
  await push(service, organization, documentOf(organization))
  return { organization, ownerToken: token }
}

const titled = (list: readonly AnyRoute[]) =>
  list.map((route) => [`${route.method} ${route.path}`, route] as const)
const closed = routes.filter(({ access }) => access.surface !== 'public')
const withId = routes.filter(({ path }) => path.includes('{id}'))

/** Every error is JSON with error, a known code with the right status, and a request id. */
function expectError(answer: Answer, status: number, code: string, what = ''): void {
  expect({ status: answer.status, code: answer.body?.code }, `${what} ${answer.text}`).toEqual({
    status,
    code,
  })
  expectErrorBody(answer)
}

function expectErrorBody(answer: Answer): void {
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(answer.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/)
  expect(typeof answer.body.error).toBe('string')
  expect(answer.body.error).not.toBe('')
  expect(new Map(Object.entries(ERROR_CODES)).get(answer.body.code)).toBe(answer.status)
  expect(answer.body.documentation).toBe(`${service.url}/errors#${answer.body.code}`)
  if (answer.body.code === 'validation_failed') expect(answer.body.issues).not.toHaveLength(0)
}

/** Expects no internal error; 501 and 503 are fine for features this deployment lacks. */
function expectNoFault(answer: Answer, what = ''): void {
  if (answer.body?.code !== 'not_configured')
    expect(answer.status, `${what} ${answer.text}`).toBeLessThan(500)
  if (answer.status >= 400) expectErrorBody(answer)
}

/** Runs requests that must all be refused, and expects an unchanged database. */
async function storingNothing(act: () => Promise<void>): Promise<void> {
  const before = await databaseContents(service.database.db)
  await act()
  expect(await databaseContents(service.database.db)).toEqual(before)
}

/** Expects that a group's requests, which must all be refused, leave the database unchanged. */
function allStoringNothing(): void {
  let before: Record<string, string>
  beforeAll(async () => {
    before = await databaseContents(service.database.db)
  })
  afterAll(async () => {
    expect(await databaseContents(service.database.db)).toEqual(before)
  })
}

describe('every route that is not public', () => {
  let revoked: string
  beforeAll(async () => {
    const gone = await callers.organization.mint()
    revoked = gone.secret
    await service.call('DELETE', `/v1/api-keys/${gone.id}`, { key: callers.organization.adminKey })
  })
  allStoringNothing()

  it.each(titled(closed))(
    '%s requires a bearer token of its own surface [AUTH-1, SURF-1, SURF-2, ERR-1]',
    async (_title, route) => {
      const right = bearerFor(route, callers) ?? ''
      const bearers = [callers.organization.adminKey, callers.ownerToken, revoked].filter(
        (one) => one !== right,
      )
      const forms = [
        undefined,
        '',
        'Bearer',
        'Bearer ',
        right,
        `Basic ${Buffer.from(`x:${right}`).toString('base64')}`,
        `Bearer ${right} ${right}`,
        `Bearer ${right}x`,
        `Bearer svc_${'A'.repeat(43)}`,
        'Bearer null',
        'Bearer ü',
        `Bearer ${'x'.repeat(8000)}`,
        ...bearers.map((one) => `Bearer ${one}`),
      ]
      for (const form of forms) {
        // With any body, because a refused caller cannot send one.
        const answer = await service.call(route.method, pathOf(route), {
          headers: form === undefined ? {} : { Authorization: form },
          ...(route.method === 'GET' ? {} : { raw: '{' }),
        })
        expectError(answer, 401, 'unauthenticated', form)
        expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer realm="/)
      }
    },
  )
})

describe('every route of agents', () => {
  it.each(titled(closed.filter(({ access }) => access.surface === 'agent')))(
    '%s requires its action [AUTH-2, ERR-1]',
    async (_title, route) => {
      if (route.access.surface !== 'agent') throw new Error('only agent routes are here')
      const needed = route.access.action
      const { secret } = await callers.organization.mint({
        actions: ACTIONS.filter((action) => action !== needed),
      })
      await storingNothing(async () => {
        const answer = await service.call(route.method, pathOf(route), {
          key: secret,
          ...(route.method === 'GET' ? {} : { raw: '{' }),
        })
        expectError(answer, 403, 'action_not_allowed')
      })
    },
  )
})

describe('every route with an id', () => {
  it.each(titled(withId.filter(({ access }) => access.surface !== 'operator')))(
    "%s answers for another organization's resource as for a missing one [ERR-5, ERR-6]",
    async (_title, route) => {
      const foreign = await ownId(service, route, others)
      await storingNothing(async () => {
        const shown = await callRoute(service, route, callers, { path: pathOf(route, { id: foreign }) })
        const missing = await callRoute(service, route, callers, { path: pathOf(route, { id: MISSING_ID }) })
        expectError(shown, 404, 'not_found')
        expect(shown.body).toEqual(missing.body)
      })
    },
  )
})

describe('every route with an invalid id', () => {
  allStoringNothing()

  it.each(titled(withId))('%s answers as for a missing resource [ERR-5, ERR-11]', async (_title, route) => {
    const ids = [
      '%00',
      '%00'.repeat(36),
      '%ff',
      '%',
      '..%2f..',
      "'%20or%201=1--",
      'null',
      '-1',
      '%F0%9F%98%80',
      'x'.repeat(600),
      `${MISSING_ID}%00`,
      `${MISSING_ID}%0a`,
      `%20${MISSING_ID}`,
    ]
    for (const id of ids) {
      const answer = await callRoute(service, route, callers, { path: pathOf(route, { id }) })
      expect([400, 404], `${id}: ${answer.text}`).toContain(answer.status)
      expectErrorBody(answer)
    }
  })
})

describe('every path', () => {
  allStoringNothing()

  it.each([...new Map(routes.map((route) => [route.path, route]))])(
    '%s returns 405 for another method and names its own [ERR-7]',
    async (path, route) => {
      // Another route's parameter can match the whole path too.
      const matching = routes.filter((one) =>
        new RegExp(`^${one.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
      )
      // HEAD of a download would create all of it.
      const allowed = matching.flatMap(({ method, downloads }) =>
        method === 'GET' && downloads.length === 0 ? ['GET', 'HEAD'] : [method],
      )
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        if (allowed.includes(method)) continue
        const answer = await service.call(method, pathOf(route), { key: callers.organization.adminKey })
        expect(answer.status, method).toBe(405)
        expect(answer.headers.get('allow')).toBe(allowed.join(', '))
        if (method !== 'HEAD') expectError(answer, 405, 'method_not_allowed')
      }
    },
  )

  it('that does not exist returns 404, with or without a key [ERR-5]', async () => {
    for (const path of [
      '/v1',
      '/v1/',
      '/v1/nothing',
      '//v1/search',
      '/V1/search',
      '/v1/console',
      '/v2/search',
      '/operator',
      '/metrics/x',
      '/%00',
      '/v1/%2e%2e/search',
    ]) {
      for (const key of [undefined, callers.organization.adminKey]) {
        const answer = await service.call('POST', path, { key, body: { query: 'x' } })
        expectError(answer, 404, 'not_found', path)
      }
    }
  })
})

describe('every route with a body', () => {
  allStoringNothing()

  it.each(titled(routes.filter(({ body }) => body)))(
    '%s requires unencoded application/json [SURF-3, ERR-9]',
    async (_title, route) => {
      const raw = Buffer.from('{}')
      for (const type of [
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'application/jsonx',
        'application/problem+json',
        'text/json',
        ';',
        'x',
        'application/json, text/plain',
      ]) {
        const answer = await callRoute(service, route, callers, { raw, headers: { 'Content-Type': type } })
        expectError(answer, 415, 'unsupported_media_type', type)
      }
      for (const encoding of ['gzip', 'br', 'x']) {
        const answer = await callRoute(service, route, callers, {
          raw,
          headers: { 'Content-Encoding': encoding },
        })
        expectError(answer, 415, 'unsupported_media_type', encoding)
      }
      expectError(await withoutContentType(route), 415, 'unsupported_media_type')
    },
  )

  async function withoutContentType(route: AnyRoute): Promise<Answer> {
    return await new Promise((resolve, reject) => {
      const options = {
        method: route.method,
        headers: { Authorization: `Bearer ${bearerFor(route, callers)}`, 'Content-Length': 2 },
      }
      const sent = httpRequest(service.url + pathOf(route), options, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString()
          const headers = new Headers()
          for (const [name, value] of Object.entries(response.headers)) headers.set(name, String(value))
          resolve({ status: response.statusCode ?? 0, headers, text, body: JSON.parse(text) })
        })
      })
      sent.on('error', reject)
      sent.end('{}')
    })
  }
})

describe('every route that changes something and has no body', () => {
  allStoringNothing()
  const silent = closed.filter(({ method, body, upload }) => method !== 'GET' && !body && !upload)
  it.each(titled(silent))('%s refuses fields that it would ignore [ERR-11]', async (_title, route) => {
    const answer = await callRoute(service, route, callers, { raw: Buffer.from('{"dryRun":true}') })
    expect([answer.status, answer.text]).toEqual([400, expect.stringMatching(/unknown field|is required/)])
  })
})

describe('a body', () => {
  it('may use any spelling of application/json [SURF-3]', async () => {
    for (const type of [
      'APPLICATION/JSON',
      'application/json; charset=utf-8',
      'application/json;charset=UTF-8',
      ' application/json ;x=y',
    ]) {
      const { status } = await service.call('POST', '/v1/search', {
        key: callers.organization.adminKey,
        body: { query: 'x' },
        headers: { 'Content-Type': type },
      })
      expect(status, type).toBe(200)
    }
  })
})

describe('hostile queries and headers', () => {
  it('never break a route, and store nothing [ERR-11]', async () => {
    const harmless = routes.filter(({ method }) => method === 'GET')
    const queries = [
      'limit=%00',
      'limit=%ff',
      'limit=NaN',
      'limit=1e999',
      'limit=-0',
      'limit=99999999999999999999',
      'limit[]=1',
      'limit=1&limit=1',
      '__proto__=1',
      'constructor[prototype]=1',
      'cursor=%00',
      'cursor=x',
      '&&&===',
      '%',
      `x=${'y'.repeat(8000)}`,
      '?',
      '%00=1',
      'provider=slack&provider=slack',
    ]
    await storingNothing(async () => {
      for (const route of harmless) {
        for (const query of queries) {
          const answer = await callRoute(service, route, callers, { path: `${pathOf(route)}?${query}` })
          expectNoFault(answer, `${route.path}?${query}`)
        }
      }
      const byKey = [
        '',
        'provider=notion',
        'externalId=pto',
        'provider=x&externalId=pto',
        'provider=notion&externalId=',
        'provider=notion&externalId=%00',
        'provider=notion&externalId=pto&externalId=pto',
        'provider=notion&externalId=pto&x=1',
        `provider=notion&externalId=${'y'.repeat(3000)}`,
        'provider=notion&externalId=%ff',
        'provider=notion&externalId=%ED%A0%80',
      ]
      for (const query of byKey) {
        const answer = await service.call('DELETE', `/v1/source-items?${query}`, {
          key: callers.organization.adminKey,
        })
        expect([400, 404], `${query}: ${answer.text}`).toContain(answer.status)
        expectErrorBody(answer)
      }
    })
  })

  it('of any text do neither [ERR-11]', async () => {
    const readers = routes.filter(({ method, path }) => method === 'GET' && path !== '/openapi.json')
    const names = fc.oneof(
      fc.constantFrom('limit', 'cursor', 'id', 'provider'),
      fc.string({ unit: 'binary' }),
    )
    const property = fc.asyncProperty(
      fc.constantFrom(...readers),
      fc.array(fc.tuple(names, fc.string({ unit: 'binary' })), { maxLength: 4 }),
      fc.string({ unit: 'binary', minLength: 1 }),
      async (route, query, id) => {
        const wellFormed = (text: string) => encodeURIComponent(text.toWellFormed())
        const search = query.map(([name, value]) => `${wellFormed(name)}=${wellFormed(value)}`).join('&')
        const path = `${pathOf(route, { id: wellFormed(id) })}?${search}`
        const answer = await callRoute(service, route, callers, { path })
        expectNoFault(answer)
      },
    )
    await storingNothing(() => fc.assert(property, { numRuns: 100 }))
  })

  it('that are invalid HTTP or too long get the JSON error too [ERR-1, ERR-2, ERR-4, ERR-11]', async () => {
    const send = (text: string): Promise<string> =>
      new Promise((resolve, reject) => {
        const { hostname, port } = new URL(service.url)
        const socket = connect(Number(port), hostname, () => socket.write(text))
        let received = ''
        socket.setEncoding('utf8')
        socket.on('data', (chunk) => (received += chunk))
        socket.on('close', () => resolve(received))
        socket.on('error', reject)
      })
    const invalid = { code: 'validation_failed', issues: [{ path: '', message: expect.any(String) }] }
    const post = 'POST /v1/search HTTP/1.1\r\nHost: x\r\nContent-Length:'
    for (const [text, status, fields] of [
      ['HELLO', 400, invalid],
      [`GET /healthz HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(20_000)}`, 431, { code: 'headers_too_large' }],
      [`${post} 1\r\nContent-Length: 2`, 400, invalid],
      [`${post} 5\r\nTransfer-Encoding: chunked\r\n\r\n0`, 400, invalid],
      ['GET /healthz HTTP/1.1\r\nConnection: close', 400, invalid],
      [`${post} 0\r\nExpect: x\r\nConnection: close`, 401, { code: 'unauthenticated' }],
      ['GET /v1/source-items/%E0%A4%A HTTP/1.1\r\nHost: x\r\nConnection: close', 400, invalid],
    ] as const) {
      const answer = await send(`${text}\r\n\r\n`)
      expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
      expect(answer).toMatch(/\r\nX-Request-Id: [\da-f-]{36}\r\n/i)
      const body = JSON.parse(answer.split('\r\n\r\n', 2)[1] ?? '')
      const documentation = `${service.url}/errors#${fields.code}`
      expect(body).toEqual({ error: expect.any(String), documentation, ...fields })
    }
  })
})
