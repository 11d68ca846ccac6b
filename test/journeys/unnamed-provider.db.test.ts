import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { readSettings } from '../../src/config.ts'
import { CATALOG, DEFAULT_PROVIDERS } from '../../src/providers/catalog.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { startIssuer, type TestIssuer } from '../support/issuer.ts'
import { signIn } from '../support/people.ts'
import { startTestService, type TestOrganization, type TestService } from '../support/service.ts'

// Other tests in this process use the real catalog, before and after.
vi.hoisted(() => vi.resetModules())
vi.mock('../../src/providers/catalog.ts', async (importOriginal) => {
  const original = await importOriginal<typeof import('../../src/providers/catalog.ts')>()
  const { madeUp } = await import('../support/made-up-provider/index.ts')
  return { ...original, CATALOG: [...original.CATALOG, madeUp] }
})
// Set up first, and so run last.
afterAll(() => {
  vi.doUnmock('../../src/providers/catalog.ts')
  vi.resetModules()
})

let database: TestDatabase
let issuer: TestIssuer
let service: TestService
let organization: TestOrganization

beforeAll(async () => {
  database = await createTestDatabase()
  issuer = await startIssuer()
  service = await startTestService({
    database,
    environment: {
      ...issuer.environment,
      MADE_UP_CLIENT_ID: 'client',
      MADE_UP_CLIENT_SECRET: 'secret',
      ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
    },
  })
  organization = await service.organization()
})
afterAll(async () => {
  await service.close()
  await issuer.close()
  await database.close()
})

const withKey = (method: string, path: string, body?: unknown) =>
  service.call(method, path, { key: organization.adminKey, body })

describe('a provider of the catalog that PROVIDERS does not name', () => {
  it('is mentioned by no document, list or source', async () => {
    const person = await signIn(service, issuer, 'ada', { organizationId: organization.id, role: 'owner' })
    const asPerson = { key: person.token, headers: { 'X-Organization-Id': organization.id } }
    const answers = [
      await service.call('GET', '/openapi.json'),
      await service.call('GET', '/v1/console/connectors', asPerson),
      await service.call('GET', '/v1/console/sources', asPerson),
      await withKey('GET', '/v1/sources'),
      await service.call('POST', '/v1/webhooks/made_up', { body: {} }),
      await withKey('POST', '/v1/maintenance/made_up/noise', {}),
    ]
    // An unknown route's message repeats the request's path.
    for (const { body } of answers)
      expect(JSON.stringify(body).replace(/There is no POST [^"]*/, '')).not.toMatch(/made_up|Made Up/)
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 404, 404])
  })

  it('is an unknown provider: 400, with the providers there are', async () => {
    const [sourceId] = Object.values(organization.sources)
    const document = { connectorId: sourceId, sourceKind: 'document', externalId: '1', title: '1', body: '1' }
    const answers = [
      await withKey('POST', '/v1/ingest', { documents: [{ ...document, provider: 'made_up' }] }),
      await withKey('POST', '/v1/search', { query: 'what', filter: { providers: ['made_up'] } }),
      await withKey('POST', '/v1/api-keys', {
        name: 'a',
        allowedActions: ['ask'],
        allowedProviders: ['made_up'],
      }),
      await withKey('GET', '/v1/source-items?provider=made_up'),
      await withKey('GET', '/v1/memory-canvas?provider=made_up'),
    ]
    for (const { status, body } of answers) {
      expect(status).toBe(400)
      expect(JSON.stringify(body)).not.toMatch(/made_up|Made Up/)
      expect(body.error).toContain('google_drive')
    }
  })

  it('of the product is as unknown, and no schema or list has it', async () => {
    const unnamed = CATALOG.map(({ id }) => id).filter((id) => !DEFAULT_PROVIDERS.some((one) => one === id))
    expect(unnamed).toContain('folder')
    const person = await signIn(service, issuer, 'eve', { organizationId: organization.id, role: 'owner' })
    const headers = { 'X-Organization-Id': organization.id }
    for (const id of unnamed) {
      for (const step of ['authorize', 'connect']) {
        const path = `/v1/console/connectors/${id}/${step}`
        const answer = await service.call('POST', path, { key: person.token, headers, body: { fields: {} } })
        expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } })
        expect(JSON.stringify(answer.body)).not.toContain(id)
      }
      expect((await withKey('GET', `/v1/source-items?provider=${id}`)).status).toBe(400)
    }
    const { body } = await service.call('GET', '/openapi.json')
    const enums: string[][] =
      JSON.stringify(body)
        .match(/"enum":\[[^\]]*\]/g)
        ?.map((one) => JSON.parse(one.slice(7))) ?? []
    expect(enums.filter((values) => unnamed.some((id) => values.includes(id)))).toEqual([])
    expect(enums.filter((values) => values.includes('google_drive')).length).toBeGreaterThan(0)
    expect(body['x-providers']).toHaveLength(DEFAULT_PROVIDERS.length)
  })

  it('is named in the mistake of a setting, where an operator looks for it', () => {
    expect(() => readSettings({ PROVIDERS: 'slack,confluense' })).toThrow(/PROVIDERS.*made_up/s)
    expect(() => readSettings({ GATED_PROVIDERS: 'made_up' })).toThrow(/GATED_PROVIDERS/)
  })
})
