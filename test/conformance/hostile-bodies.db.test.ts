import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { routes } from '../../src/assembly/routes.ts'
import { parseJsonBody } from '../../src/http/json-body.ts'
import { openApiDocument } from '../../src/http/openapi.ts'
import { ERROR_CODES } from '../../src/kernel/error-codes.ts'
import { AppError } from '../../src/kernel/errors.ts'
import { findIssues } from '../../src/kernel/validate.ts'
import { databaseContents } from '../support/database-contents.ts'
import { documentOf, push } from '../support/documents.ts'
import { startIssuer, type TestIssuer } from '../support/issuer.ts'
import { signIn } from '../support/people.ts'
import { type AnyRoute, bodyOf, type Callers, callRoute, pathOf } from '../support/route-calls.ts'
import { type Answer, startTestService, type TestService } from '../support/service.ts'

let issuer: TestIssuer
let service: TestService
let callers: Callers

beforeAll(async () => {
  issuer = await startIssuer()
  service = await startTestService({ environment: issuer.environment })
  const organization = await service.organization()
  const membership = { organizationId: organization.id, role: 'owner' as const }
  const { token } = await signIn(service, issuer, 'owner', membership)
  await push(service, organization, documentOf(organization, { externalId: 'there' }))
  callers = { organization, ownerToken: token }
})
afterAll(async () => {
  await service.close()
  await issuer.close()
})

const withBody = routes.filter(({ body }) => body)
const titled = withBody.map((route) => [`${route.method} ${route.path}`, route] as const)

/** The path of an existing resource, so that only the body can be wrong. */
function existing({ path }: AnyRoute): Record<string, string> {
  return { id: path.startsWith('/operator') ? callers.organization.id : callers.organization.sources.slack }
}

const documented: Record<string, Record<string, { responses: object }>> = JSON.parse(
  JSON.stringify(openApiDocument(routes, { version: '1', url: 'http://127.0.0.1' }).paths),
)

/** Sends a body, and expects a status that the OpenAPI document lists for the route. */
async function send(route: AnyRoute, raw: string | Buffer): Promise<Answer> {
  const answer = await callRoute(service, route, callers, { path: pathOf(route, existing(route)), raw })
  const { responses = {} } = documented[route.path]?.[route.method.toLowerCase()] ?? {}
  expect(Object.keys(responses), route.operationId).toContain(String(answer.status))
  return answer
}

/** Expects no 5xx; an error is JSON with error, a listed code with its status, and a request id. */
function expectSane({ status, headers, body, text }: Answer, what: string): void {
  const isUnconfigured = status === 503 && body?.code === 'not_configured'
  expect(status < 500 || isUnconfigured, `${what}: ${status} ${text}`).toBe(true)
  expect(headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/)
  if (status < 400) return
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(typeof body.error, what).toBe('string')
  expect(Object.entries(ERROR_CODES)).toContainEqual([body.code, status])
  expect(text.length).toBeLessThan(100_000)
}

/** Sends bodies that must all be refused, a few at a time, and expects an unchanged database. */
async function expectAllRefused(
  route: AnyRoute,
  bodies: readonly (readonly [what: string, raw: string | Buffer])[],
  statuses: readonly number[],
): Promise<void> {
  const before = await databaseContents(service.database.db)
  const rest = [...bodies]
  const sender = async (): Promise<void> => {
    for (let next = rest.pop(); next; next = rest.pop()) {
      const [what, raw] = next
      const answer = await send(route, raw)
      expectSane(answer, what)
      expect(statuses, `${what}: ${answer.text.slice(0, 300)}`).toContain(answer.status)
    }
  }
  await Promise.all([sender(), sender(), sender(), sender()])
  expect(await databaseContents(service.database.db)).toEqual(before)
}

/** A valid body's text with a field inserted first. */
const within = (text: string, field: string): string => text.replace('{', `{${field},`)

function malformed(text: string): (readonly [string, string | Buffer])[] {
  const bytes = Buffer.from(text)
  return [
    ['white space', ' \r\n\t '],
    ['a truncated body', text.slice(0, -1)],
    ['half a body', text.slice(0, text.length / 2)],
    ['two bodies', text + text],
    ['something after the body', `${text}x`],
    ['an unknown field', within(text, '"unknown":1')],
    ['__proto__', within(text, '"__proto__":{"isAdmin":true}')],
    ['an escaped __proto__', within(text, '"__pr\\u006fto__":{"isAdmin":true}')],
    ['__proto__ with a NUL in it', within(text, '"__proto\\u0000__":{"isAdmin":true}')],
    ['constructor.prototype', within(text, '"constructor":{"prototype":{"isAdmin":true}}')],
    ['toString', within(text, '"toString":1')],
    ['a key twice', text.replace(/\{("(?:\w+)":)/, '{$1null,$1')],
    ['a key that is a lone surrogate', within(text, '"\\ud800":1')],
    ['a key that is NUL', within(text, '"\\u0000":1')],
    ['deep arrays', within(text, `"deep":${'['.repeat(100_000)}${']'.repeat(100_000)}`)],
    ['deep arrays that never end', '['.repeat(200_000)],
    ['deep objects', within(text, `"deep":${'{"a":'.repeat(30_000)}1${'}'.repeat(30_000)}`)],
    ['a raw control character', within(text, '"a":"\u0000"')],
    ['invalid UTF-8', Buffer.concat([bytes.subarray(0, 2), Buffer.from([0xff, 0xfe]), bytes.subarray(2)])],
    ['an overlong NUL', Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xc0, 0x80]), Buffer.from('"}')])],
    [
      'a surrogate in UTF-8',
      Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')]),
    ],
    ['UTF-16', Buffer.from(text, 'utf16le')],
    ['gzip', gzipSync(text)],
    ['comments', `/* */${text}`],
    ['a trailing comma', text.replace(/\}$/, ',}')],
    ['single quotes', text.replaceAll('"', "'")],
    ['NaN', within(text, '"a":NaN')],
    ['a hexadecimal number', within(text, '"a":0x10')],
    ['a form', 'query=x&limit=1'],
    ...[
      'null',
      'true',
      '0',
      '-0',
      '1e400',
      '"text"',
      '[]',
      '{}x',
      `[${text}]`,
      '[[[]]]',
      JSON.stringify(text),
    ].map((whole) => [`the whole being ${whole.slice(0, 20)}`, whole] as const),
  ]
}

/** Invalid values as JSON text, since not all of them survive parsing. */
const HOSTILE = [
  'null',
  'true',
  '0',
  '-0',
  '-1',
  '1.5',
  '1e400',
  '-1e400',
  '9007199254740993',
  '99999999999999999999999',
  '1e-400',
  '""',
  '" "',
  '"\\u0000"',
  '"\\ud800"',
  '"%00"',
  '"\\u202e\\ufeff"',
  '"__proto__"',
  `"${'x'.repeat(100_000)}"`,
  '[]',
  '[null]',
  '[[]]',
  '[{}]',
  '["\\u0000"]',
  '{}',
  '{"a":null}',
  '{"toString":"x"}',
  '{"length":1e9}',
  '{"length":{"toString":"x"}}',
  '"2020-01-01T00:00:00.000Z"',
  '"9999999-01-01T00:00:00Z"',
  '"javascript:alert(1)"',
  `"' or 1=1--"`,
]

/** Every path to a value inside a JSON value, arrays by index. */
function pathsOf(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (value === null || typeof value !== 'object') return [path]
  const inner = Object.entries(value).flatMap(([key, next]) => pathsOf(next, [...path, key]))
  return path.length === 0 ? inner : [path, ...inner]
}

/** The JSON text of a value with the part at a path replaced. */
function withPart(value: unknown, path: readonly string[], part: string): string {
  const [key, ...rest] = path
  if (key === undefined) return part
  if (value === null || typeof value !== 'object') throw new Error(`nothing is at ${path.join('.')}`)
  const texts = Object.entries(value).map(([name, inner]) => {
    const text = name === key ? withPart(inner, rest, part) : JSON.stringify(inner)
    return Array.isArray(value) ? text : `${JSON.stringify(name)}:${text}`
  })
  return Array.isArray(value) ? `[${texts.join()}]` : `{${texts.join()}}`
}

/** Twins share a schema and statements, so a sample of the mutants suffices for the second one. */
const MUTANTS_MAX = 150
const MUTANTS_OF_TWIN_MAX = 25
const VALID_MAX = 30
const VALID_OF_TWIN_MAX = 6

const isTwin = ({ path }: AnyRoute): boolean => path.startsWith('/v1/console/')

/** At most `most` evenly spaced entries; the same in every run. */
function sample<T>(list: readonly T[], most: number): T[] {
  const step = Math.max(1, list.length / most)
  return Array.from({ length: Math.min(most, list.length) }, (_, at) => list[Math.floor(at * step)]).flatMap(
    (entry) => (entry === undefined ? [] : [entry]),
  )
}

/** A quarter of the bodies that the parser refuses, another one for each route, is sent to routes after their surface's first. */
const PARSER_SHARE = 4

const isFirstOfSurface = (route: AnyRoute): boolean =>
  withBody.find(({ access }) => access.surface === route.access.surface) === route

/** Bodies for a route's schema, and some or all of those for the parser, which all routes share. */
function malformedFor(route: AnyRoute, text: string): (readonly [string, string | Buffer])[] {
  const bodies = malformed(text)
  if (isFirstOfSurface(route)) return bodies
  const index = withBody.indexOf(route)
  return bodies.filter(([, raw], at) => isParsed(Buffer.from(raw)) || (at + index) % PARSER_SHARE === 0)
}

function isParsed(raw: Buffer): boolean {
  try {
    parseJsonBody(raw)
    return true
  } catch (error) {
    if (error instanceof AppError) return false
    throw error
  }
}

/** Whether the route's schema accepts the body. */
function isTaken({ body }: AnyRoute, text: string): boolean {
  const raw = Buffer.from(text)
  return body !== undefined && isParsed(raw) && 'data' in findIssues(body, parseJsonBody(raw), 'body')
}

function mutantsOf(route: AnyRoute): { what: string; text: string; taken: boolean }[] {
  const body = bodyOf(route, callers.organization)
  return pathsOf(body).flatMap((path) =>
    HOSTILE.map((part) => {
      const text = withPart(body, path, part)
      const taken = isTaken(route, text)
      return { what: `${path.join('.')} = ${part.slice(0, 40)}`, text, taken }
    }),
  )
}

// They are refused before any statement, whatever the database.
describe.skipIf(process.env.TEST_DRIVER === 'postgres').each(titled)('%s', (_title, route) => {
  it('refuses malformed bodies with the JSON error, and stores nothing [ERR-11, ERR-1, ERR-10, SURF-3]', async () => {
    const text = JSON.stringify(bodyOf(route, callers.organization))
    await expectAllRefused(route, malformedFor(route, text), [400])
    if (!route.bodyOptional) await expectAllRefused(route, [['nothing', '']], [400])
    const tooLarge = `{"query":"${'x'.repeat(route.bodyBytesMax)}"}`
    await expectAllRefused(route, [['too large a body', tooLarge]], [413])
  })

  it('refuses any value that its schema does not accept, in any field, and stores nothing [ERR-11, ERR-2]', async () => {
    const most = isTwin(route) ? MUTANTS_OF_TWIN_MAX : MUTANTS_MAX
    const refused = sample(
      mutantsOf(route).filter(({ taken }) => !taken),
      most,
    ).map(({ what, text }) => [what, text] as const)
    expect(refused.length).toBeGreaterThan(10)
    await expectAllRefused(route, refused, [400])
  })
})

describe('a body with too many parts', () => {
  it('is refused before each part is checked, and named [ERR-11]', async () => {
    const metadata = Object.fromEntries(Array.from({ length: 9_900 }, (_, at) => [`k${at}`, {}]))
    const some = Object.fromEntries(Object.entries(metadata).slice(0, 17))
    const search = (filter: unknown): Promise<Answer> =>
      service.call('POST', '/v1/search', {
        key: callers.organization.adminKey,
        body: { query: 'x', filter: { metadata: filter } },
      })
    expect(await search(metadata)).toMatchObject({
      status: 400,
      body: { code: 'validation_failed', error: 'filter.metadata must have at most 2000 keys' },
    })
    expect(await search(some)).toMatchObject({
      status: 400,
      body: { error: 'filter.metadata must have at most 16 keys' },
    })
  })

  it.each([1_001, 1_101, 1_999])(
    'with metadata of %d values gets the same error at any size [ING-6]',
    async (count) => {
      const metadata = Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at]))
      const fine = documentOf(callers.organization)
      const answer = await push(service, callers.organization, fine, { ...fine, externalId: 'b', metadata })
      const error =
        'documents.1.metadata must have at most 1000 values, counting those inside lists and objects'
      expect(answer).toMatchObject({
        status: 400,
        body: { error, issues: [{ path: 'documents.1.metadata' }] },
      })
    },
  )
})

describe('a valid body', () => {
  it('never breaks a route, whatever strange value it has [ERR-11, ING-15]', async () => {
    for (const route of withBody) {
      const taken = mutantsOf(route).filter((mutant) => mutant.taken)
      const texts = sample(taken, isTwin(route) ? VALID_OF_TWIN_MAX : VALID_MAX).map(({ text }) => text)
      const withMark = `\ufeff${JSON.stringify(bodyOf(route, callers.organization))}`
      for (const text of [withMark, ...texts])
        expectSane(await send(route, text), `${route.path} ${text.slice(0, 300)}`)
    }
  })

  it('of any JSON does not either [ERR-11]', async () => {
    const anyJson = fc.jsonValue({ maxDepth: 4 })
    const property = fc.asyncProperty(
      fc.constantFrom(...withBody).chain((route) => {
        const paths = pathsOf(bodyOf(route, callers.organization))
        return fc.tuple(fc.constant(route), fc.constantFrom(...paths), anyJson)
      }),
      async ([route, path, value]) => {
        const text = withPart(bodyOf(route, callers.organization), path, JSON.stringify(value))
        expectSane(await send(route, text), `${route.path} ${text}`)
      },
    )
    await fc.assert(property, { numRuns: 150 })
  })

  it('with a query or document of any text does not either [ERR-11, ING-15]', async () => {
    const anyText = fc.string({
      unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
      minLength: 1,
      maxLength: 200,
    })
    const property = fc.asyncProperty(anyText, anyText, async (title, text) => {
      const key = callers.organization.adminKey
      const strange = documentOf(callers.organization, { title, body: text, metadata: { [text]: title } })
      const pushed = await service.call('POST', '/v1/ingest', { key, body: { documents: [strange] } })
      expectSane(pushed, 'ingest')
      for (const path of ['/v1/search', '/v1/context', '/v1/ask']) {
        expectSane(await service.call('POST', path, { key, body: { query: text } }), path)
      }
    })
    await fc.assert(property, { numRuns: 25 })
  })
})
