import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { cookiesOf } from '../support/browser.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { startIssuer, type TestIssuer } from '../support/issuer.ts'
import { notes } from '../support/made-up-provider/index.ts'
import { signIn } from '../support/people.ts'
import {
  OPERATOR_TOKEN,
  startTestService,
  type TestOrganization,
  type TestService,
} from '../support/service.ts'
import { until } from '../support/until.ts'

// Other tests in this process use the real catalog, before and after.
vi.hoisted(() => {
  vi.resetModules()
  process.env.PROVIDERS = 'slack,google_drive,notion,gmail,made_up'
})
// The one line: the catalog with the folder test/support/made-up-provider/.
vi.mock('../../src/providers/catalog.ts', async (importOriginal) => {
  const original = await importOriginal<typeof import('../../src/providers/catalog.ts')>()
  const { madeUp } = await import('../support/made-up-provider/index.ts')
  return { ...original, CATALOG: [...original.CATALOG, madeUp] }
})
// The imports above have read it.
delete process.env.PROVIDERS
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
      MADE_UP_SIGNATURE: 'signed',
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

describe('a provider that is one folder, one line and named in PROVIDERS', () => {
  it('is gated, connected, synced, searched, announced to and cleaned up like the others', async () => {
    notes.set('plans', 'The lighthouse is painted in spring.')
    const person = await signIn(service, issuer, 'ada', { organizationId: organization.id, role: 'owner' })
    const headers = { 'X-Organization-Id': organization.id }
    const authorize = () =>
      service.call('POST', '/v1/console/connectors/made_up/authorize', { key: person.token, headers })
    expect((await authorize()).body.code).toBe('connector_access_required')
    await service.call('PUT', `/operator/organizations/${organization.id}/connector-access/made_up`, {
      key: OPERATOR_TOKEN,
      body: { enabled: true },
    })
    const { body, headers: begun } = await authorize()
    const state = new URL(body.url).searchParams.get('state')
    const back = await service.call('GET', `/v1/oauth/made_up/callback?code=code&state=${state}`, {
      headers: { Cookie: cookiesOf(begun) },
    })
    const connected = new URL(back.headers.get('location') ?? '').searchParams.get('connected')
    expect(back.status).toBe(302)
    const isConnected = ({ id }: { id: string }) => id === connected

    const source = await until(
      'the first run',
      async () => (await withKey('GET', '/v1/sources')).body.sources.find(isConnected),
      (found) => found?.lastSyncedAt !== null,
    )
    expect(source).toMatchObject({ provider: 'made_up', status: 'active', policyHealth: { status: 'ok' } })
    const found = await withKey('POST', '/v1/search', { query: 'when is the lighthouse painted' })
    expect(found.body.hits[0]).toMatchObject({ provider: 'made_up', title: 'plans' })

    notes.set('news', 'The ferry leaves at nine.')
    const event = { headers: { 'X-Made-Up': 'signed', 'X-Event': '1' }, body: {} }
    expect((await service.call('POST', '/v1/webhooks/made_up', { body: {} })).status).toBe(401)
    expect((await service.call('POST', '/v1/webhooks/made_up', event)).status).toBe(200)
    await until(
      'what was announced',
      async () => (await withKey('POST', '/v1/search', { query: 'when does the ferry leave' })).body.hits,
      (hits) => hits.some(({ title }: { title: string }) => title === 'news'),
    )
  })

  it('has audited cleanups, ingested documents, and keys scoped to it', async () => {
    const document = {
      connectorId: sourceOf('made_up'),
      provider: 'made_up',
      sourceKind: 'document',
      externalId: 'noise',
      title: 'noise',
      body: 'noise',
    }
    expect((await withKey('POST', '/v1/ingest', { documents: [document] })).body.ingested).toBe(1)
    const cleaned = await withKey('POST', '/v1/maintenance/made_up/noise', {})
    expect(cleaned.body).toMatchObject({ deleted: 1, dryRun: false })
    const { body } = await withKey('GET', '/v1/audit-events')
    expect(body.auditEvents[0].action).toBe('maintenance.made_up.noise')
    const key = { name: 'reader', allowedActions: ['search'], allowedProviders: ['made_up'] }
    expect((await withKey('POST', '/v1/api-keys', key)).status).toBe(201)
  })
})

function sourceOf(provider: string): string {
  const found = Object.entries(organization.sources).find(([id]) => id === provider)
  if (!found) throw new Error(`no source of ${provider}`)
  return found[1]
}
