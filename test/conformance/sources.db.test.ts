import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sql } from 'kysely'
import { documentOf, push } from '../support/documents.ts'
import { startIssuer, type TestIssuer } from '../support/issuer.ts'
import { type Person, signIn } from '../support/people.ts'
import { type Answer, startTestService, type TestOrganization, type TestService } from '../support/service.ts'
import { aTime, anId } from '../support/shapes.ts'

let issuer: TestIssuer
let service: TestService
let organization: TestOrganization
let admin: Person

beforeAll(async () => {
  issuer = await startIssuer()
  // Offered providers that are never contacted: no worker takes the queued runs.
  const client = { CLIENT_ID: 'id', CLIENT_SECRET: 'secret' }
  const offered = Object.entries(client).flatMap(([name, value]) =>
    ['SLACK', 'NOTION'].map((provider) => [`${provider}_${name}`, value]),
  )
  const environment = { ...issuer.environment, ...Object.fromEntries(offered), ROLE: 'api' }
  service = await startTestService({ environment })
})
beforeEach(async () => {
  organization = await service.organization()
  admin = await signIn(service, issuer, organization.id, { organizationId: organization.id, role: 'admin' })
})
afterAll(async () => {
  await service.close()
  await issuer.close()
})

const call = (method: string, path: string, body?: unknown): Promise<Answer> =>
  service.call(method, path, { key: organization.adminKey, body })
const asAdmin = (method: string, path: string, body?: unknown): Promise<Answer> =>
  service.call(method, path, { key: admin.token, body })
const actions = async (): Promise<string[]> =>
  (await call('GET', '/v1/audit-events')).body.auditEvents.map(({ action }: { action: string }) => action)

/** A provider's source as if it had an account. */
const connect = (provider: 'slack' | 'notion', values: object = {}) =>
  service.database.db
    .updateTable('sources')
    .set({ push_only: false, ...values })
    .where('id', '=', organization.sources[provider])
    .execute()

describe('the list of sources', () => {
  it('has every field of every source; people also see how many items could not be read, and why [SRC-1, SRC-2, SRC-3, CON-5, SURF-4, SURF-5]', async () => {
    await push(service, organization, documentOf(organization), documentOf(organization, { externalId: 'b' }))
    const { status, body } = await call('GET', '/v1/sources')
    expect(status).toBe(200)
    const source = (provider: string, sourceItemCount: number) => ({
      id: anId,
      provider,
      status: 'active',
      displayName: provider,
      externalAccountId: expect.any(String),
      lastSyncedAt: null,
      errorMessage: null,
      channelAllowlist: null,
      sourceItemCount,
      policyHealth: null,
      createdAt: aTime,
      updatedAt: aTime,
    })
    const byProvider = (list: { provider: string }[]) =>
      list.toSorted((a, b) => a.provider.localeCompare(b.provider))
    expect(byProvider(body.sources)).toEqual([
      source('gmail', 0),
      source('google_drive', 0),
      source('notion', 2),
      source('slack', 0),
    ])
    const forPeople = { errorCode: null, itemsSkipped: 0 }
    const shown = body.sources.map((one: object) => Object.assign({}, one, forPeople))
    expect((await asAdmin('GET', '/v1/console/sources')).body).toEqual({ sources: shown })
  })
})

describe('the channel allowlist', () => {
  it('is set, emptied and removed, and each change is recorded [SRC-4, SRC-5, SRC-6, AUD-8]', async () => {
    const id = organization.sources.slack
    for (const channelAllowlist of [['C0123ABCD', 'C9'], [], null]) {
      const { status, body } = await call('PATCH', `/v1/sources/${id}`, { channelAllowlist })
      expect(status).toBe(200)
      expect(body).toEqual({ id, provider: 'slack', displayName: 'slack', channelAllowlist })
      const { body: channels } = await call('GET', `/v1/sources/${id}/channels`)
      expect(channels).toEqual({ channels: [], channelAllowlist })
      const { auditEvents } = (await call('GET', '/v1/audit-events?limit=1')).body
      expect(auditEvents).toMatchObject([
        {
          action: 'connector.allowlist.update',
          targetId: id,
          actorApiKeyId: organization.adminKeyId,
          metadata: { channelAllowlist },
        },
      ])
    }
  })

  it.each([
    ['nothing', {}],
    ['a text', { channelAllowlist: 'C1' }],
    ['an invalid channel id', { channelAllowlist: ['#general'] }],
    ["a channel's name", { channelAllowlist: ['general'] }],
    ['a channel twice', { channelAllowlist: ['C1', 'C1'] }],
    ['another field', { channelAllowlist: null, displayName: 'x' }],
    ['a status', { status: 'disabled' }],
  ])('is refused with %s [SRC-4, SRC-5, ERR-10]', async (_what, body) => {
    expect(await call('PATCH', `/v1/sources/${organization.sources.slack}`, body)).toMatchObject({
      status: 400,
      body: { code: 'validation_failed' },
    })
    expect(await actions()).toEqual([])
  })

  it('exists for Slack sources only, like channels [CHN-1, CHN-2]', async () => {
    for (const provider of ['google_drive', 'notion', 'gmail'] as const) {
      const path = `/v1/sources/${organization.sources[provider]}`
      for (const answer of [
        await call('GET', `${path}/channels`),
        await asAdmin('GET', path.replace('/v1', '/v1/console').concat('/channels')),
        await call('PATCH', path, { channelAllowlist: ['C1'] }),
      ]) {
        expect(answer).toMatchObject({ status: 400, body: { code: 'not_a_slack_source' } })
      }
    }
    expect(await call('GET', `/v1/sources/${organization.sources.slack}/channels`)).toMatchObject({
      status: 200,
      body: { channels: [], channelAllowlist: null },
    })
  })
})

describe('the audience', () => {
  it('exists only for sources with an account, because pushed documents carry their own access policy', async () => {
    const change = () =>
      asAdmin('PATCH', `/v1/console/sources/${organization.sources.notion}`, { audience: 'everyone' })
    expect(await change()).toMatchObject({
      status: 400,
      body: { code: 'audience_not_supported', error: expect.stringContaining('pushed documents') },
    })
    await connect('notion')
    expect((await change()).status).toBe(200)
  })
})

describe('a user', () => {
  it('creates, renames, pauses, resumes and removes sources, each recorded in their name [SRC-7, SRC-8, AUD-2, AUD-11]', async () => {
    const made = await asAdmin('POST', '/v1/console/sources', { provider: 'slack', displayName: 'Team' })
    expect(made).toMatchObject({
      status: 201,
      body: { source: { provider: 'slack', displayName: 'Team', status: 'active', id: anId } },
    })
    const path = `/v1/console/sources/${made.body.source.id}`
    for (const change of [
      { displayName: 'Crew' },
      { status: 'disabled' },
      { status: 'active' },
      { channelAllowlist: ['C1'] },
    ]) {
      expect(await asAdmin('PATCH', path, change)).toMatchObject({ status: 200, body: { source: change } })
    }
    expect((await asAdmin('PATCH', path, {})).status).toBe(400)
    expect((await asAdmin('DELETE', path)).status).toBe(200)
    expect((await asAdmin('DELETE', path)).status).toBe(404)
    const { auditEvents } = (await call('GET', '/v1/audit-events')).body
    expect(auditEvents.map(({ action }: { action: string }) => action)).toEqual([
      'source.delete',
      'connector.allowlist.update',
      'source.enable',
      'source.disable',
      'source.update',
      'source.create',
    ])
    for (const { actorUserId, actorApiKeyId } of auditEvents) {
      expect([actorUserId, actorApiKeyId]).toEqual([admin.userId, null])
    }
  })

  it('removes with a source everything in it, and nothing else [SRC-9]', async () => {
    await push(
      service,
      organization,
      documentOf(organization),
      documentOf(organization, { provider: 'slack', externalId: 's' }),
    )
    await connect('notion')
    await call('POST', '/v1/sync-runs', { connectorId: organization.sources.notion })
    expect((await asAdmin('DELETE', `/v1/console/sources/${organization.sources.notion}`)).status).toBe(200)
    const { hits } = (await call('POST', '/v1/search', { query: 'paid time off' })).body
    expect(hits).toMatchObject([{ provider: 'slack' }])
    expect((await call('GET', '/v1/sync-runs')).body).toEqual({ syncRuns: [] })
    const { rows } = await sql<{ left: number }>`
      select (select count(*) from source_items where source_id = ${organization.sources.notion})::int
        + (select count(*) from chunks c where organization_id = ${organization.id} and not exists
          (select from source_items i
            where i.organization_id = c.organization_id and i.id = c.source_item_id))::int as left`.execute(
      service.database.db,
    )
    expect(rows).toEqual([{ left: 0 }])
  })
})

describe('a sync run', () => {
  const request = (body: Record<string, unknown> = {}) =>
    call('POST', '/v1/sync-runs', { connectorId: organization.sources.slack, ...body })

  it('is queued with 201, and listed with every field, newest first [RUN-1, RUN-2, RUN-3, RUN-7, AUD-10]', async () => {
    await connect('slack')
    await connect('notion')
    const first = await request()
    expect(first.status).toBe(201)
    expect(first.body).toEqual({
      syncRun: {
        id: anId,
        connectorId: organization.sources.slack,
        status: 'queued',
        fullResync: false,
        createdAt: aTime,
      },
      alreadyActive: false,
    })
    const second = await request({ connectorId: organization.sources.notion, fullResync: true })
    expect(second).toMatchObject({ status: 201, body: { syncRun: { fullResync: true } } })
    const { body } = await call('GET', '/v1/sync-runs')
    const rest = {
      startedAt: null,
      finishedAt: null,
      itemsDiscovered: 0,
      itemsIngested: 0,
      itemsDeleted: 0,
      errorMessage: null,
    }
    expect(body).toEqual({
      syncRuns: [
        { ...second.body.syncRun, ...rest },
        { ...first.body.syncRun, ...rest },
      ],
    })
    const counted = { ...rest, itemsUnchanged: 0, itemsSkipped: 0 }
    expect((await asAdmin('GET', '/v1/console/sync-runs')).body).toEqual({
      syncRuns: [
        { ...second.body.syncRun, ...counted },
        { ...first.body.syncRun, ...counted },
      ],
    })
    expect(await actions()).toEqual(['sync_run.create', 'sync_run.create'])
  })

  it('is listed in pages of at most limit, with nextCursor while there are more [RUN-2]', async () => {
    await connect('slack')
    await connect('notion')
    await request()
    await request({ connectorId: organization.sources.notion })
    const { syncRuns } = (await call('GET', '/v1/sync-runs')).body
    const first = (await call('GET', '/v1/sync-runs?limit=1')).body
    expect(first.syncRuns).toEqual([syncRuns[0]])
    const second = await call('GET', `/v1/sync-runs?limit=1&cursor=${first.nextCursor}`)
    expect(second.body).toEqual({ syncRuns: [syncRuns[1]] })
    for (const query of ['limit=501', 'limit=0', 'cursor=x', 'page=2'])
      expect(await call('GET', `/v1/sync-runs?${query}`), query).toMatchObject({
        status: 400,
        body: { code: 'validation_failed' },
      })
  })

  it('that is queued or running is returned again with 202 [RUN-4, AUD-10]', async () => {
    await connect('slack')
    const { syncRun } = (await request()).body
    expect(await request({ fullResync: true })).toMatchObject({
      status: 202,
      body: { syncRun, alreadyActive: true },
    })
    await service.database.db
      .updateTable('sync_runs')
      .set({ status: 'running', started_at: new Date() })
      .where('id', '=', syncRun.id)
      .execute()
    expect(
      await asAdmin('POST', '/v1/console/sync-runs', { connectorId: syncRun.connectorId }),
    ).toMatchObject({
      status: 202,
      body: { syncRun: { id: syncRun.id, status: 'running' }, alreadyActive: true },
    })
    expect(await actions()).toEqual(['sync_run.create'])
  })

  it('that ended allows a new one [RUN-6]', async () => {
    await connect('slack')
    for (const status of ['succeeded', 'failed'] as const) {
      const { syncRun } = (await request()).body
      await service.database.db
        .updateTable('sync_runs')
        .set({ status })
        .where('id', '=', syncRun.id)
        .execute()
      const next = await request()
      expect(next).toMatchObject({ status: 201, body: { alreadyActive: false } })
      expect(next.body.syncRun.id).not.toBe(syncRun.id)
      await service.database.db
        .updateTable('sync_runs')
        .set({ status })
        .where('id', '=', next.body.syncRun.id)
        .execute()
    }
  })

  it('is created once under concurrent requests [RUN-5]', async () => {
    await connect('slack')
    const answers = await Promise.all(Array.from({ length: 12 }, () => request()))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(11)
    expect(new Set(answers.map(({ body }) => body.syncRun.id)).size).toBe(1)
  })

  it('is refused for a push-only, disabled or missing source [RUN-8, RUN-9, ERR-5, ERR-6]', async () => {
    expect(await request()).toMatchObject({ status: 409, body: { code: 'source_push_only' } })
    await connect('slack', { status: 'disabled' })
    expect(await request()).toMatchObject({ status: 409, body: { code: 'source_disabled' } })
    const other = await service.organization()
    const foreign = await request({ connectorId: other.sources.slack })
    const missing = await request({ connectorId: '00000000-0000-4000-8000-000000000000' })
    expect(foreign).toMatchObject({ status: 404, body: { code: 'not_found' } })
    expect(foreign.body).toEqual(missing.body)
    expect((await call('GET', '/v1/sync-runs')).body).toEqual({ syncRuns: [] })
  })

  it.each([{}, { connectorId: 'none' }, { fullResync: 'yes' }, { force: true }])(
    'is refused with a body such as %j [RUN-7, ERR-10]',
    async (body) => {
      const connectorId = Object.keys(body).length === 0 ? {} : { connectorId: organization.sources.slack }
      expect(await call('POST', '/v1/sync-runs', { ...connectorId, ...body })).toMatchObject({
        status: 400,
        body: { code: 'validation_failed' },
      })
    },
  )
})
