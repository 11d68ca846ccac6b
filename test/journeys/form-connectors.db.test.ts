import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { startIssuer, type TestIssuer } from '../support/issuer.ts'
import { type Person, signIn } from '../support/people.ts'
import {
  OPERATOR_TOKEN,
  startTestService,
  type TestOrganization,
  type TestService,
} from '../support/service.ts'
import { until } from '../support/until.ts'

// Other tests in this process use the default providers, before and after.
vi.hoisted(() => {
  vi.resetModules()
  process.env.PROVIDERS = 'slack,google_drive,notion,gmail,folder'
})
// The imports above have read it.
delete process.env.PROVIDERS
afterAll(() => vi.resetModules())

let root: string
let issuer: TestIssuer
let service: TestService
let organization: TestOrganization
let owner: Person

beforeAll(async () => {
  root = await realpath(await mkdtemp(path.join(tmpdir(), 'form-connectors-')))
  await mkdir(path.join(root, 'wiki'))
  await writeFile(path.join(root, 'wiki/plans.md'), '# Plans\n\nThe lighthouse is painted in spring.')
  issuer = await startIssuer()
  service = await startTestService({
    environment: {
      ...issuer.environment,
      FOLDER_ROOTS: root,
      ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
    },
  })
  organization = await service.organization()
  owner = await signIn(service, issuer, 'ada', { organizationId: organization.id, role: 'owner' })
})
afterAll(async () => {
  await service.close()
  await issuer.close()
  await rm(root, { recursive: true })
})

const withKey = (method: string, address: string, body?: unknown) =>
  service.call(method, address, { key: organization.adminKey, body })
const as = (person: Person, method: string, address: string, body?: unknown) =>
  service.call(method, address, {
    key: person.token,
    headers: { 'X-Organization-Id': organization.id },
    body,
  })
const submit = (fields: Record<string, string>, person = owner) =>
  as(person, 'POST', '/v1/console/connectors/folder/connect', { fields })
const grant = () =>
  service.call('PUT', `/operator/organizations/${organization.id}/connector-access/folder`, {
    key: OPERATOR_TOKEN,
    body: { enabled: true },
  })

it('describes the form of a provider without OAuth, and none of the others', async () => {
  const { body } = await as(owner, 'GET', '/v1/console/connectors')
  const forms = Object.fromEntries(
    body.connectors.map(({ provider, form }: { provider: string; form: unknown }) => [provider, form]),
  )
  expect(forms).toMatchObject({ slack: null, google_drive: null, notion: null, gmail: null })
  expect(forms['folder']).toEqual([
    {
      name: 'path',
      label: 'Folder',
      help: expect.stringContaining('Absolute path'),
      secret: false,
      multiline: false,
      required: true,
    },
  ])
})

it('connects for admins only, once the operator has granted it, with valid fields', async () => {
  const member = await signIn(service, issuer, 'bob', { organizationId: organization.id, role: 'member' })
  const fields = { path: path.join(root, 'wiki') }
  expect(await submit(fields, member)).toMatchObject({ status: 403, body: { code: 'role_required' } })
  expect(await submit(fields)).toMatchObject({ status: 403, body: { code: 'connector_access_required' } })
  await grant()
  const invalid: Record<string, string>[] = [
    {},
    { path: ' ' },
    { path: '/etc' },
    { ...fields, other: 'x' },
    { path: 'wiki' },
  ]
  for (const wrong of invalid) {
    const { status, body } = await submit(wrong)
    expect(status, JSON.stringify(wrong)).toBe(400)
    expect(body).toMatchObject({
      code: 'validation_failed',
      issues: [{ path: expect.stringMatching(/^fields/) }],
    })
  }
  expect(await as(owner, 'POST', '/v1/console/connectors/folder/authorize')).toMatchObject({
    status: 400,
    body: { error: expect.stringContaining('connectors/folder/connect') },
  })
  const slack = await as(owner, 'POST', '/v1/console/connectors/slack/connect', { fields: {} })
  expect(slack).toMatchObject({ status: 503, body: { code: 'not_configured' } })
  const { body } = await withKey('GET', '/v1/sources')
  expect(body.sources.every(({ lastSyncedAt }: { lastSyncedAt: unknown }) => lastSyncedAt === null)).toBe(
    true,
  )
})

it('syncs, seals what was entered, records who connected, and reconnects and removes like an OAuth source', async () => {
  await grant()
  const folder = path.join(root, 'wiki')
  const { status, body: connected } = await submit({ path: folder })
  expect(status).toBe(200)
  const { connectorId } = connected
  const isIt = ({ id }: { id: string }) => id === connectorId
  const source = await until(
    'the first run',
    async () => (await withKey('GET', '/v1/sources')).body.sources.find(isIt),
    (found) => found?.lastSyncedAt !== null,
  )
  expect(source).toMatchObject({ provider: 'folder', status: 'active', externalAccountId: folder })
  const found = await withKey('POST', '/v1/search', { query: 'when is the lighthouse painted' })
  expect(found.body.hits[0]).toMatchObject({ provider: 'folder', title: 'Plans' })

  const { db } = service.database
  const grants = () =>
    db.selectFrom('source_credentials').selectAll().where('source_id', '=', connectorId).execute()
  const [sealed] = await grants()
  expect(Buffer.from(sealed?.ciphertext ?? []).toString('latin1')).not.toContain('device')

  const readers = await as(owner, 'GET', `/v1/console/sources/${connectorId}/permissions`)
  expect(readers.body).toMatchObject({ permissions: { kind: 'audience', audience: 'everyone' } })

  expect((await submit({ path: `${folder}/` })).body).toEqual({ connectorId })
  const { body: trail } = await withKey('GET', '/v1/audit-events')
  const events = trail.auditEvents.filter(({ action }: { action: string }) => action === 'connector.connect')
  expect(events).toMatchObject([
    { actorUserId: owner.userId, targetId: connectorId, metadata: { reconnected: true } },
    { metadata: { provider: 'folder', externalAccountId: folder, reconnected: false } },
  ])

  expect((await as(owner, 'DELETE', `/v1/console/sources/${connectorId}`)).status).toBe(200)
  expect(await grants()).toEqual([])
  await until(
    'the end of its credentials',
    async () => (await db.selectFrom('grant_revocations').select('id').execute()).length,
    (left) => left === 0,
  )
  expect((await withKey('GET', '/v1/sources')).body.sources.find(isIt)).toBeUndefined()
})
