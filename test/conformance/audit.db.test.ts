import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { routes } from '../../src/assembly/routes.ts'
import { AUDIT_ACTIONS } from '../../src/audit/index.ts'
import { documentOf } from '../support/documents.ts'
import { startTestService, type TestOrganization, type TestService } from '../support/service.ts'
import { aTime, anId } from '../support/shapes.ts'

let now = new Date('2026-05-04T10:20:30.456Z')
let service: TestService
let organization: TestOrganization

beforeAll(async () => {
  service = await startTestService({ clock: { now: () => now } })
})
beforeEach(async () => {
  organization = await service.organization()
})
afterAll(() => service.close())

const events = (query = '', key = organization.adminKey) =>
  service.call('GET', `/v1/audit-events${query}`, { key })

describe('an audit event', () => {
  it("of a key's creation and revocation has every field [AUD-1, AUD-2, AUD-6, AUD-7, SURF-4, SURF-5]", async () => {
    const key = organization.adminKey
    const body = {
      name: 'Support bot',
      actorType: 'application',
      allowedActions: ['search', 'ask'],
      allowedProviders: ['slack'],
    }
    const { apiKey } = (await service.call('POST', '/v1/api-keys', { key, body })).body
    now = new Date(now.getTime() + 1000)
    await service.call('DELETE', `/v1/api-keys/${apiKey.id}`, { key })
    const common = {
      id: anId,
      organizationId: organization.id,
      actorUserId: null,
      actorApiKeyId: organization.adminKeyId,
      targetType: 'api_key',
      targetId: apiKey.id,
      createdAt: aTime,
    }
    const { status, body: answer } = await events()
    expect(status).toBe(200)
    expect(answer).toEqual({
      auditEvents: [
        { ...common, action: 'api_key.revoke', metadata: { name: body.name, prefix: apiKey.prefix } },
        { ...common, action: 'api_key.create', metadata: { ...body, prefix: apiKey.prefix } },
      ],
    })
  })

  it('is recorded by every call to context, even without hits or with excluded providers [AUD-5]', async () => {
    const scoped = await organization.mint({ actions: ['context'], providers: ['gmail'] })
    for (const key of [scoped.secret, organization.adminKey]) {
      await service.call('POST', '/v1/context', { key, body: { query: ' \0 what? ' } })
      now = new Date(now.getTime() + 1000)
    }
    const metadata = { query: '  what? ', hitCount: 0, citationCount: 0, providers: [] }
    expect((await events()).body.auditEvents).toMatchObject([
      { action: 'context.retrieve', metadata: { ...metadata, exclusionCount: 0 } },
      { action: 'context.retrieve', metadata: { ...metadata, exclusionCount: 3 } },
    ])
  })
})

describe('the list of events', () => {
  it("returns the organization's newest events, up to limit, 100 by default [AUD-3, AUD-4]", async () => {
    const other = await service.organization()
    const rows = Array.from({ length: 510 }, (_, at) => ({
      organization_id: at < 5 ? other.id : organization.id,
      id: crypto.randomUUID(),
      actor_user_id: null,
      actor_api_key_id: organization.adminKeyId,
      action: 'source.update',
      target_type: 'source',
      target_id: String(at),
      metadata: '{}',
      created_at: new Date(now.getTime() + at),
    }))
    await service.database.db.insertInto('audit_events').values(rows).execute()
    for (const [query, count] of [
      ['', 100],
      ['?limit=1', 1],
      ['?limit=500', 500],
    ] as const) {
      const { auditEvents } = (await events(query)).body
      expect(auditEvents).toHaveLength(count)
      const targets = auditEvents.map(({ targetId }: { targetId: string }) => Number(targetId))
      expect(targets).toEqual(Array.from({ length: count }, (_, at) => 509 - at))
    }
    expect((await events('', other.adminKey)).body.auditEvents).toHaveLength(5)
  })

  it.each(['0', '501', '-1', '1.5', 'many', '', '1&limit=2', '1&page=2'])(
    'is refused with limit=%s [AUD-3]',
    async (limit) => {
      expect(await events(`?limit=${limit}`)).toMatchObject({
        status: 400,
        body: { code: 'validation_failed', issues: [{}] },
      })
    },
  )
})

describe('the list of events for a key with a provider scope', () => {
  const typesOf = async (key: string, query = '') =>
    (await events(query, key)).body.auditEvents.map(
      ({ action, targetId }: { action: string; targetId: string }) => `${action} ${targetId}`,
    )

  it('contains events of its providers or of none, but of no other [AUD-14]', async () => {
    const key = organization.adminKey
    const gmailOnly = await organization.mint({ providers: ['gmail'] })
    const slackOnly = await organization.mint({ providers: ['slack'] })
    const step = async (...[method, path, options]: Parameters<TestService['call']>) => {
      now = new Date(now.getTime() + 1000)
      const { status, text, body } = await service.call(method, path, options)
      expect(status, `${path} ${text}`).toBeLessThan(300)
      return body
    }
    for (const provider of ['slack', 'gmail'] as const) {
      const document = documentOf(organization, { provider, externalId: `in ${provider}` })
      await step('POST', '/v1/ingest', { key, body: { documents: [document] } })
    }
    const both = ['slack', 'gmail'] as const
    const documents = both.map((provider) => documentOf(organization, { provider, externalId: 'both' }))
    await step('POST', '/v1/ingest', { key, body: { documents } })
    for (const { secret } of [gmailOnly, slackOnly, { secret: key }])
      await step('POST', '/v1/context', { key: secret, body: { query: 'paid time off' } })
    await step('PATCH', `/v1/sources/${organization.sources.slack}`, {
      key,
      body: { channelAllowlist: null },
    })
    await step('POST', '/v1/maintenance/slack/cleanup-system-events', { key, body: {} })
    for (const provider of both) {
      await step('DELETE', `/v1/source-items?provider=${provider}&externalId=both`, { key })
    }
    await step('POST', '/v1/api-keys', { key, body: { name: 'x', allowedActions: ['search'] } })

    expect(await typesOf(key)).toHaveLength(11)
    const named = async (secret: string) => (await typesOf(secret)).map((one: string) => one.split(' ', 1)[0])
    expect(await named(gmailOnly.secret)).toEqual([
      'api_key.create',
      'source_item.delete',
      'context.retrieve',
      'source_item.ingest',
    ])
    expect(await named(slackOnly.secret)).toEqual([
      'api_key.create',
      'source_item.delete',
      'maintenance.slack.cleanup_system_events',
      'connector.allowlist.update',
      'context.retrieve',
      'source_item.ingest',
    ])
  })

  it('fills its limit, however many events of other providers lie between [AUD-14, AUD-3]', async () => {
    const { secret } = await organization.mint({ actions: ['admin'], providers: ['slack', 'notion'] })
    const providers = [['slack'], ['gmail'], ['slack', 'gmail'], [], null, ['notion', 'slack']] as const
    const rows = Array.from({ length: 120 }, (_, at) => ({
      organization_id: organization.id,
      id: crypto.randomUUID(),
      actor_user_id: null,
      actor_api_key_id: organization.adminKeyId,
      action: 'source.update',
      target_type: 'source',
      target_id: String(at),
      metadata: '{}',
      providers: providers[at % providers.length]?.slice() ?? null,
      created_at: new Date(now.getTime() + at),
    }))
    await service.database.db.insertInto('audit_events').values(rows).execute()
    const visible = rows
      .map(({ target_id: id }) => Number(id))
      .filter((at) => [0, 3, 5].includes(at % providers.length))
      .toReversed()
    for (const limit of [1, 7, 60]) {
      const { auditEvents } = (await events(`?limit=${limit}`, secret)).body
      expect(auditEvents.map(({ targetId }: { targetId: string }) => Number(targetId))).toEqual(
        visible.slice(0, limit),
      )
    }
  })
})

describe('the route table', () => {
  it('assigns an audit action to every mutation [AUD-11]', () => {
    const silent = routes.filter(
      ({ method, audit, access, operationId, path }) =>
        method !== 'GET' &&
        audit === 'none' &&
        access.surface !== 'operator' &&
        access.surface !== 'public' &&
        // The trail is deleted with the workspace; the service's log has the event.
        operationId !== 'consoleRemoveOrganization' &&
        // They change nothing: one calls a model once, one has a secret in its body.
        !['consoleTestModel', 'consolePreviewInvitation'].includes(operationId) &&
        // They return 503 without a payment processor.
        !path.startsWith('/v1/console/billing/'),
    )
    expect(silent.map(({ operationId }) => operationId)).toEqual([])
    const retrieving = routes.filter(({ credits }) => credits === 1)
    expect(retrieving.filter(({ audit }) => !audit.endsWith('.retrieve'))).toEqual([])
    const named = routes.map(({ audit }) => audit).filter((audit) => audit !== 'none')
    expect(named.filter((audit) => !AUDIT_ACTIONS.some((action) => action === audit))).toEqual([])
  })
})
