import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { cookiesOf, followRedirects } from '../../test/support/browser.ts'
import { type ConnectedService, startConnectedService } from '../../test/support/connected-service.ts'
import type { Person } from '../../test/support/people.ts'
import { OPERATOR_TOKEN, startTestService, type TestOrganization } from '../../test/support/service.ts'
import { until } from '../../test/support/until.ts'

let service: ConnectedService
let organization: TestOrganization
let owner: Person
/** Cookies of the browser that began last. */
let cookies = ''

beforeAll(async () => {
  service = await startConnectedService()
})
beforeEach(async () => {
  organization = await service.organization()
  owner = await service.signIn(organization.id, { organizationId: organization.id, role: 'owner' })
})
afterAll(() => service.close())

const asOwner = (method: string, path: string, body?: unknown) =>
  service.call(method, path, { key: owner.token, body })
const withKey = (method: string, path: string, body?: unknown) =>
  service.call(method, path, { key: organization.adminKey, body })
const authorize = (provider: string) => asOwner('POST', `/v1/console/connectors/${provider}/authorize`)
const actions = async (): Promise<string[]> =>
  (await withKey('GET', '/v1/audit-events')).body.auditEvents.map((event: { action: string }) => event.action)
const runsOf = async (sourceId: string): Promise<unknown[]> =>
  (await withKey('GET', '/v1/sync-runs')).body.syncRuns.filter(
    (run: { connectorId: string }) => run.connectorId === sourceId,
  )

async function callbackUrl(provider: string): Promise<string> {
  const { body, headers } = await authorize(provider)
  cookies = cookiesOf(headers)
  return await followRedirects(body.url, `${service.url}/v1/oauth/`)
}
const visit = (url: string) =>
  service.call('GET', url.slice(service.url.length), { headers: { Cookie: cookies } })

describe('connecting an account', () => {
  it('queues the first run, and records the actor [OAUTH-8, CONN-12]', async () => {
    const sourceId = await service.connect(owner, organization.id, 'slack')
    expect(await runsOf(sourceId)).toHaveLength(1)
    expect(await actions()).toEqual(['connector.connect', 'connector.authorize'])
  })

  it('again reuses its source and its items [OAUTH-10]', async () => {
    const first = await service.connect(owner, organization.id, 'slack')
    await service.runEnded(organization, first)
    expect(await service.connect(owner, organization.id, 'slack')).toBe(first)
    const { body } = await withKey('GET', '/v1/sources')
    expect(
      body.sources.filter(
        (one: { id: string; provider: string }) => one.provider === 'slack' && one.id === first,
      ),
    ).toMatchObject([{ status: 'active', errorMessage: null }])
  })

  it('accepts a state once [OAUTH-3]', async () => {
    const url = await callbackUrl('slack')
    expect((await visit(url)).status).toBe(302)
    expect(await visit(url)).toMatchObject({ status: 400, body: { code: 'malformed_state' } })
  })

  it.each([
    ['without a state', ''],
    ['with a made-up state', '?code=x&state=made-up'],
    ['with a state of the right form', `?code=x&state=${'a'.repeat(43)}`],
    ['with two states', '?code=x&state=a&state=b'],
    ['with an error and no state', '?error=access_denied'],
  ])('refuses a callback %s [OAUTH-2]', async (_, query) => {
    const answer = await service.call('GET', `/v1/oauth/slack/callback${query}`)
    expect(answer).toMatchObject({ status: 400, body: { code: 'malformed_state' } })
  })

  it('refuses a state of another provider, and invalidates it [OAUTH-4]', async () => {
    const url = (await callbackUrl('slack')).replace('/oauth/slack/', '/oauth/notion/')
    expect(await visit(url)).toMatchObject({ status: 400, body: { code: 'malformed_state' } })
  })

  it('refuses a state after ten minutes [OAUTH-3]', async () => {
    const url = await callbackUrl('slack')
    await service.database.db.updateTable('oauth_states').set({ expires_at: new Date() }).execute()
    expect(await visit(url)).toMatchObject({ status: 400, body: { code: 'malformed_state' } })
  })

  it('stores no state that a database reader could use [OAUTH-11]', async () => {
    const state = new URL((await authorize('slack')).body.url).searchParams.get('state') ?? ''
    const rows = await service.database.db.selectFrom('oauth_states').selectAll().execute()
    expect(rows.length).toBeGreaterThan(0)
    for (const row of rows) expect(Buffer.from(row.state_sha256).toString('base64url')).not.toBe(state)
  })

  it('refuses a user who lost the role meanwhile or never had it [OAUTH-5]', async () => {
    const url = await callbackUrl('slack')
    await service.database.db
      .updateTable('memberships')
      .set({ role: 'member' })
      .where('user_id', '=', owner.userId)
      .execute()
    expect(await visit(url)).toMatchObject({ status: 403, body: { code: 'role_required' } })
    expect(await authorize('slack')).toMatchObject({ status: 403, body: { code: 'role_required' } })
  })

  it("redirects a user who cancels to the console, with the provider's error [OAUTH-7]", async () => {
    const state = new URL((await authorize('slack')).body.url).searchParams.get('state') ?? ''
    const answer = await service.call('GET', `/v1/oauth/slack/callback?error=access_denied&state=${state}`)
    expect(answer.status).toBe(302)
    expect(answer.headers.get('location')).toMatch(/\/console\/sources\?provider=slack&error=access_denied$/)
  })

  it("passes on the provider's refusal, in its words [OAUTH-9]", async () => {
    const url = (await callbackUrl('notion')).replace(/code=[^&]*/, 'code=forged')
    expect(await visit(url)).toMatchObject({
      status: 502,
      body: { code: 'upstream_error', error: expect.stringContaining('invalid_grant') },
    })
  })

  it("is refused beyond the plan's number of connectors, not counting push-only sources [CRED-10]", async () => {
    organization = await service.organization({ status: 'active', tier: 'builder' })
    owner = await service.signIn(organization.id, { organizationId: organization.id, role: 'owner' })
    expect((await authorize('slack')).status).toBe(200)
    await service.database.db
      .updateTable('sources')
      .set({ push_only: false })
      .where('organization_id', '=', organization.id)
      .where('provider', 'in', ['notion', 'gmail'])
      .execute()
    expect(await authorize('slack')).toMatchObject({ status: 402, body: { code: 'plan_limit_reached' } })
  })
})

describe('a provider that is not configured', () => {
  it('returns 503 with the names of its settings [CONN-5]', async () => {
    const bare = await startTestService({ environment: service.issuer.environment })
    try {
      const { id } = await bare.organization()
      const token = await service.issuer.token({ subject: 'bare' })
      await bare.call('GET', '/v1/console/me', { key: token })
      const user = await bare.database.db.selectFrom('users').select('id').executeTakeFirstOrThrow()
      await bare.database.db
        .insertInto('memberships')
        .values({ organization_id: id, user_id: user.id, role: 'owner', created_at: new Date() })
        .execute()
      const call = (path: string) => bare.call('POST', path, { key: token })
      expect(await call('/v1/console/connectors/slack/authorize')).toMatchObject({
        status: 503,
        body: {
          code: 'not_configured',
          error: expect.stringMatching(/SLACK_CLIENT_ID.*SLACK_CLIENT_SECRET/),
        },
      })
      expect(await bare.call('POST', '/v1/webhooks/slack', { raw: '{}' })).toMatchObject({
        status: 503,
        body: { code: 'not_configured', error: expect.stringContaining('SLACK_SIGNING_SECRET') },
      })
    } finally {
      await bare.close()
    }
  })
})

describe('a gated provider', () => {
  it("can be connected only with the operator's approval, which can be requested [CONN-1, CONN-2, CONN-3, CONN-4]", async () => {
    expect(await authorize('gmail')).toMatchObject({
      status: 403,
      body: { code: 'connector_access_required' },
    })
    const asked = await asOwner('POST', '/v1/console/connector-access', { provider: 'gmail' })
    expect(asked).toMatchObject({ status: 201, body: { request: { provider: 'gmail', status: 'pending' } } })
    const again = await asOwner('POST', '/v1/console/connector-access', { provider: 'gmail' })
    expect(again.body.request.id).toBe(asked.body.request.id)
    expect(await asOwner('POST', '/v1/console/connector-access/gmail/grant')).toMatchObject({
      status: 403,
      body: { code: 'connector_access_required' },
    })
    expect(await actions()).toEqual(['connector_access.request'])
    expect(await authorize('gmail')).toMatchObject({ status: 403 })
    const waiting = await service.call('GET', '/operator/connector-access', { key: OPERATOR_TOKEN })
    expect(JSON.stringify(waiting.body)).toContain(organization.id)
    await service.grant(organization.id, 'gmail')
    expect((await authorize('gmail')).status).toBe(200)
    const { connectors } = (await asOwner('GET', '/v1/console/connectors')).body
    expect(connectors).toEqual([
      { provider: 'slack', offered: true, access: 'open', grantable: false, form: null },
      { provider: 'google_drive', offered: true, access: 'required', grantable: false, form: null },
      { provider: 'notion', offered: true, access: 'open', grantable: false, form: null },
      { provider: 'gmail', offered: true, access: 'granted', grantable: false, form: null },
    ])
  })

  it('is not connected when it loses approval while the user is at the provider [CONN-4]', async () => {
    await service.grant(organization.id, 'gmail')
    const url = await callbackUrl('gmail')
    const path = `/operator/organizations/${organization.id}/connector-access/gmail`
    await service.call('PUT', path, { key: OPERATOR_TOKEN, body: { enabled: false } })
    expect(await visit(url)).toMatchObject({ status: 403, body: { code: 'connector_access_required' } })
  })

  it('needs no request when it is not gated', async () => {
    expect(await asOwner('POST', '/v1/console/connector-access', { provider: 'slack' })).toMatchObject({
      status: 400,
    })
  })
})

describe('a connected Slack source', () => {
  it('lists its channels as Slack does, and passes on refusals [CHN-2, CONN-13]', async () => {
    const sourceId = await service.connect(owner, organization.id, 'slack')
    await service.runEnded(organization, sourceId)
    const { slack } = service.emulators
    const { status, body } = await withKey('GET', `/v1/sources/${sourceId}/channels`)
    expect(status).toBe(200)
    expect(body.channelAllowlist).toBeNull()
    expect(body.channels.map((channel: { id: string }) => channel.id)).toContain(
      slack.state.channels()[0]?.id,
    )
    slack.faults.add({
      path: 'conversations.list',
      body: { ok: false, error: 'account_inactive' },
      status: 200,
    })
    expect(await withKey('GET', `/v1/sources/${sourceId}/channels`)).toMatchObject({
      status: 502,
      body: { code: 'upstream_error', error: expect.stringContaining('account_inactive') },
    })
    slack.faults.clear()
  })

  it('reads only the channels on its allowlist from the next run, and drops the others with a full resync [SYNC-12]', async () => {
    const sourceId = await service.connect(owner, organization.id, 'slack')
    await service.runEnded(organization, sourceId)
    const count = async () =>
      (await withKey('GET', '/v1/sources')).body.sources.find(
        (one: { id: string; provider: string }) => one.id === sourceId,
      ).sourceItemCount
    const before = await count()
    const [channel] = service.emulators.slack.state.channels()
    await withKey('PATCH', `/v1/sources/${sourceId}`, { channelAllowlist: [channel?.id] })
    await withKey('POST', '/v1/sync-runs', { connectorId: sourceId, fullResync: true })
    expect(await service.runEnded(organization, sourceId)).toMatchObject({ status: 'succeeded' })
    const rows = await service.database.db
      .selectFrom('source_items')
      .select('metadata')
      .where('source_id', '=', sourceId)
      .execute()
    expect(new Set(rows.map(({ metadata }) => metadata['channelId']))).toEqual(new Set([channel?.id]))
    expect(await count()).toBeLessThan(before)
  })

  it("shows Slack's error message, and is active again once a run succeeds [SYNC-6, SYNC-10]", async () => {
    const sourceId = await service.connect(owner, organization.id, 'slack')
    await service.runEnded(organization, sourceId)
    const { slack } = service.emulators
    slack.faults.add({ path: 'auth.test', body: { ok: false, error: 'token_revoked' }, status: 200 })
    const runAgain = async () => {
      await withKey('POST', '/v1/sync-runs', { connectorId: sourceId })
      return await service.runEnded(organization, sourceId)
    }
    expect(await runAgain()).toMatchObject({ status: 'failed', errorMessage: 'token_revoked' })
    const source = async () =>
      (await withKey('GET', '/v1/sources')).body.sources.find(
        (one: { id: string; provider: string }) => one.id === sourceId,
      )
    expect(await source()).toMatchObject({ status: 'error', errorMessage: 'token_revoked' })
    slack.faults.clear()
    expect(await runAgain()).toMatchObject({ status: 'succeeded' })
    expect(await source()).toMatchObject({ status: 'active', errorMessage: null })
  })
})

describe('the Slack webhook', () => {
  const send = (body: unknown, { secret, at = Date.now() }: { secret?: string; at?: number } = {}) => {
    const raw = JSON.stringify(body)
    const key = secret ?? service.emulators.slack.env['SLACK_SIGNING_SECRET'] ?? ''
    const timestamp = String(Math.floor(at / 1000))
    const signature = `v0=${createHmac('sha256', key).update(`v0:${timestamp}:${raw}`).digest('hex')}`
    return service.call('POST', '/v1/webhooks/slack', {
      raw,
      headers: { 'X-Slack-Request-Timestamp': timestamp, 'X-Slack-Signature': signature },
    })
  }
  const messageEvent = (eventId: string, ts: string) => ({
    type: 'event_callback',
    team_id: service.emulators.slack.team.id,
    event_id: eventId,
    event: {
      type: 'message',
      channel: service.emulators.slack.state.channels()[0]?.id,
      ts,
      text: 'hi',
      user: 'U1',
    },
  })

  it('answers the challenge [HOOK-2]', async () => {
    expect(await send({ type: 'url_verification', challenge: 'abc' })).toMatchObject({
      status: 200,
      body: { challenge: 'abc' },
    })
  })

  it('refuses a wrong, an old and a missing signature [HOOK-1]', async () => {
    const body = { type: 'url_verification', challenge: 'abc' }
    expect(await send(body, { secret: 'wrong' })).toMatchObject({
      status: 401,
      body: { code: 'unauthenticated' },
    })
    expect((await send(body, { at: Date.now() - 301_000 })).status).toBe(401)
    expect((await service.call('POST', '/v1/webhooks/slack', { body })).status).toBe(401)
  })

  it('stores a new message without waiting for the poll, and drops duplicates [HOOK-3, HOOK-4]', async () => {
    const sourceId = await service.connect(owner, organization.id, 'slack')
    await service.runEnded(organization, sourceId)
    const before = (await runsOf(sourceId)).length
    const { state } = service.emulators.slack
    const ts = state.post(state.channels()[0]?.id ?? '', { text: 'The walrus parade starts at noon.' })
    const eventId = `Ev${Date.now()}`
    expect(await send(messageEvent(eventId, ts))).toMatchObject({ status: 200, body: { ok: true } })
    expect((await send(messageEvent(eventId, ts))).status).toBe(200)
    const events = await service.database.db
      .selectFrom('push_events')
      .select('event_id')
      .where('source_id', '=', sourceId)
      .execute()
    expect(events).toEqual([{ event_id: eventId }])
    await until(
      'a run for the event',
      () => runsOf(sourceId),
      (runs) => runs.length > before,
    )
    expect(await service.runEnded(organization, sourceId)).toMatchObject({ status: 'succeeded' })
    const { body } = await withKey('POST', '/v1/search', { query: 'walrus parade' })
    expect(JSON.stringify(body.hits)).toContain('walrus parade')
  })

  it('puts a source into error when its app is uninstalled [HOOK-5]', async () => {
    const sourceId = await service.connect(owner, organization.id, 'slack')
    await service.runEnded(organization, sourceId)
    const event = { ...messageEvent('EvGone', '1'), event: { type: 'app_uninstalled' } }
    expect((await send(event)).status).toBe(200)
    const { body } = await withKey('GET', '/v1/sources')
    expect(body.sources.find((one: { id: string; provider: string }) => one.id === sourceId)).toMatchObject({
      status: 'error',
      errorMessage: 'app_uninstalled',
    })
  })
})

describe('deleting a source', () => {
  it('keeps another source on the same grant working [CONN-10]', async () => {
    const drive = await service.connect(owner, organization.id, 'google_drive')
    const mail = await service.connect(owner, organization.id, 'gmail')
    await service.runEnded(organization, drive)
    await service.runEnded(organization, mail)
    const revocations = () => service.emulators.google.requests.byPath()['/revoke'] ?? 0
    const before = revocations()
    expect((await asOwner('DELETE', `/v1/console/sources/${drive}`)).status).toBe(200)
    expect(revocations()).toBe(before)
    expect((await asOwner('DELETE', `/v1/console/sources/${mail}`)).status).toBe(200)
    expect(revocations()).toBe(before + 1)
  })

  it('revokes the grant later when the provider is down [CONN-10]', async () => {
    const sourceId = await service.connect(owner, organization.id, 'notion')
    await service.runEnded(organization, sourceId)
    service.emulators.notion.faults.add({ path: '/v1/oauth/revoke', status: 503 })
    expect((await asOwner('DELETE', `/v1/console/sources/${sourceId}`)).status).toBe(200)
    service.emulators.notion.faults.clear()
    const row = await service.database.db
      .selectFrom('grant_revocations')
      .selectAll()
      .executeTakeFirstOrThrow()
    expect(row).toMatchObject({ id: sourceId, attempts: 1 })
    expect(row.next_attempt_at.getTime()).toBeGreaterThan(Date.now())
    await service.database.db.deleteFrom('grant_revocations').execute()
  })
})
