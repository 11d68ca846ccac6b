import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { documentOf, push } from '../support/documents.ts'
import { startIssuer, type TestIssuer } from '../support/issuer.ts'
import { signIn } from '../support/people.ts'
import { type Answer, startTestService, type TestOrganization, type TestService } from '../support/service.ts'

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
  for (const team of ['red', 'blue'])
    await push(
      service,
      organization,
      documentOf(organization, { externalId: team, title: team, metadata: { team } }),
    )
})
afterAll(async () => {
  await service.close()
  await issuer.close()
})

const api = (method: string, path: string, body?: unknown): Promise<Answer> =>
  service.call(method, path, { key: organization.adminKey, body })
const asOwner = (method: string, path: string, body?: unknown): Promise<Answer> =>
  service.call(method, path, { key: ownerToken, body })
const searchRaw = (filter: string): Promise<Answer> =>
  service.call('POST', '/v1/search', {
    key: organization.adminKey,
    raw: `{"query":"paid time off","filter":{"metadata":${filter}}}`,
  })

describe('text that cannot be stored is cleaned before it is checked', () => {
  it('in the filter of a search, so that no condition is lost [ERR-11]', async () => {
    const { body } = await searchRaw(String.raw`{"te\u0000am":"r\u0000ed"}`)
    expect(body.hits.map(({ title }: { title: string }) => title)).toEqual(['red'])
    for (const filter of [
      String.raw`{"__proto__\u0000":"x"}`,
      String.raw`{"__proto\u0000__":"x"}`,
      String.raw`{"team":"red","team\u0000":"blue"}`,
      String.raw`{"\ud800":"red","\udfff":"blue"}`,
    ])
      expect(await searchRaw(filter), filter).toMatchObject({ status: 400, body: { code: 'malformed_json' } })
  })

  it('in metadata of documents, where NUL hides no __proto__ [ERR-11, ING-15]', async () => {
    const raw = JSON.stringify({
      documents: [
        documentOf(organization, { externalId: 'proto', metadata: { '__proto\0__': { team: 'red' } } }),
      ],
    })
    const answer = await service.call('POST', '/v1/ingest', { key: organization.adminKey, raw })
    expect(answer).toMatchObject({ status: 400, body: { code: 'malformed_json' } })
  })

  it('in names given by users, which must not be empty afterwards', async () => {
    const named = (name: string): Promise<Answer> =>
      api('POST', '/v1/api-keys', { name, allowedActions: ['search'] })
    expect(await named('\0 \0')).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
    expect(await named('Supp\0ort')).toMatchObject({ status: 201, body: { apiKey: { name: 'Support' } } })
  })

  it('in query parameters, which then find the stored item', async () => {
    await push(service, organization, documentOf(organization, { externalId: 'gone\0 by name' }))
    const path = '/v1/source-items?provider=notion&externalId='
    expect(await api('DELETE', `${path}%00`)).toMatchObject({
      status: 400,
      body: { code: 'validation_failed' },
    })
    expect(await api('DELETE', `${path}go%00ne%20by%20name`)).toMatchObject({ status: 200 })
    expect(await api('GET', '/v1/source-items?lim%00it=5')).toMatchObject({ status: 400 })
    expect(await asOwner('GET', '/v1/console/audit-events?target=%00%00')).toMatchObject({ status: 400 })
  })
})

describe('text that cannot be stored is refused', () => {
  it("in a resource's URL, which then names nothing", async () => {
    const { body } = await api('GET', '/v1/source-items')
    const id: string = body.sourceItems[0].id
    expect((await api('GET', `/v1/source-items/${id}`)).status).toBe(200)
    for (const address of [`${id}%00`, `%00${id}`, `${id}%ED%A0%80`])
      expect([400, 404], address).toContain((await api('GET', `/v1/source-items/${address}`)).status)
  })

  it('in a header, before it is read', async () => {
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
    const { hostname, port } = new URL(service.url)
    const sent = request({ hostname, port, path: '/v1/console/me' }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    sent.on('error', reject)
    // The client would refuse to send it.
    sent.once('socket', (socket) =>
      socket.write(
        `GET /v1/console/me HTTP/1.1\r\nHost: x\r\nX-Organization-Id: ${organization.id}\0\r\n\r\n`,
      ),
    )
    expect(await promise).toBe(400)
  })
})

describe('a time that the database could not read is refused with 400', () => {
  const times = [
    '2026-01-01T00:00:00+16:00',
    '2026-01-01T00:00:00-23:59',
    `2026-01-01T00:00:00.${'0'.repeat(200)}Z`,
  ]

  it.each(times)('%.40s, in every field and parameter of that type [ERR-11]', async (time) => {
    const parameter = encodeURIComponent(time)
    const document = documentOf(organization, { externalId: 'time', sourceUpdatedAt: time })
    const answers = [
      await api('POST', '/v1/search', { query: 'x', filter: { updatedAfter: time } }),
      await api('POST', '/v1/context', { query: 'x', filter: { updatedBefore: time } }),
      await push(service, organization, document),
      await api('GET', `/v1/memory-canvas?since=${parameter}`),
      await asOwner('GET', `/v1/console/audit-events?from=${parameter}`),
      await asOwner('GET', `/v1/console/audit-events/export?format=csv&to=${parameter}`),
    ]
    for (const answer of answers)
      expect(answer, answer.text).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
  })

  it('but a readable one is accepted', async () => {
    for (const time of ['2026-01-01T00:00:00+15:59', '2026-01-01T00:00:00.123456789Z']) {
      const parameter = encodeURIComponent(time)
      expect((await asOwner('GET', `/v1/console/audit-events?from=${parameter}`)).status, time).toBe(200)
    }
  })
})

describe('a forged cursor is refused with 400', () => {
  const forge = (cursor: string, change: (parts: unknown[]) => unknown[]): string =>
    Buffer.from(JSON.stringify(change(JSON.parse(Buffer.from(cursor, 'base64url').toString())))).toString(
      'base64url',
    )

  const at = (time: string) => (parts: unknown[]) => parts.with(1, time)
  const changes: ((parts: unknown[]) => unknown[])[] = [
    at('2026-01-01T00:00:00.000000+23:59'),
    at('2026-01-01T00:00:00+16:00'),
    at(`2026-01-01T00:00:00.${'0'.repeat(200)}Z`),
    at('2026-01-01T00:00Z'),
    at('infinity'),
    (parts) => parts.with(2, '0'),
    (parts) => parts.with(0, 2),
    (parts) => [...parts, 1],
    (parts) => parts.slice(1),
  ]

  it.each([
    ['/v1/source-items?limit=1', 'nextCursor'],
    ['/v1/console/audit-events?limit=1', 'nextCursor'],
  ])('of %s [ERR-11]', async (path, field) => {
    const call = path.startsWith('/v1/console/') ? asOwner : api
    const cursor: string = (await call('GET', path)).body[field]
    expect((await call('GET', `${path}&cursor=${cursor}`)).status).toBe(200)
    for (const change of changes)
      expect(await call('GET', `${path}&cursor=${forge(cursor, change)}`)).toMatchObject({
        status: 400,
        body: { code: 'validation_failed' },
      })
  })
})
