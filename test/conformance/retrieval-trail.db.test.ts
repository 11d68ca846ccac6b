import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { LanguageModel } from '../../src/inference/language-model.ts'
import type { ProviderId } from '../../src/kernel/provider-id.ts'
import { documentOf, push } from '../support/documents.ts'
import { type TestIssuer, startIssuer } from '../support/issuer.ts'
import { signIn } from '../support/people.ts'
import { type Answer, startTestService, type TestOrganization, type TestService } from '../support/service.ts'
import { aTime, anId } from '../support/shapes.ts'

const ROUTES = ['search', 'context', 'ask'] as const
const TARGETS = { search: 'search', context: 'context_contract', ask: 'answer' }
const query = 'How many days of paid time off?'

let script: readonly (string | Error)[] = []
const languageModel: LanguageModel = {
  id: 'scripted',
  async *stream() {
    for (const piece of script) {
      if (piece instanceof Error) throw piece
      yield piece
    }
  },
}

let issuer: TestIssuer
let service: TestService
let organization: TestOrganization

beforeAll(async () => {
  issuer = await startIssuer()
  service = await startTestService({ languageModel, environment: issuer.environment })
})
beforeEach(async () => {
  script = ['Twenty-five days [1].']
  organization = await service.organization({ status: 'active', tier: 'builder' })
  await push(
    service,
    organization,
    documentOf(organization),
    documentOf(organization, { provider: 'slack', externalId: '2', title: 'Days', body: 'Paid time off.' }),
  )
})
afterAll(async () => {
  await service.close()
  await issuer.close()
})

const send = (route: string, options: { key?: string; body?: object; stream?: boolean } = {}) =>
  service.call('POST', `/v1/${route}`, {
    key: options.key ?? organization.adminKey,
    body: options.body ?? { query },
    ...(options.stream ? { headers: { Accept: 'text/event-stream' } } : {}),
  })

/** The retrievals in the trail as seen by a key, newest first. */
async function retrievals(key = organization.adminKey): Promise<Answer['body']> {
  const { body } = await service.call('GET', '/v1/audit-events', { key })
  return body.auditEvents.filter(({ action }: { action: string }) => action.endsWith('.retrieve'))
}

async function creditsUsed(): Promise<number> {
  const row = await service.database.db
    .selectFrom('subscriptions')
    .select('credits_used')
    .where('organization_id', '=', organization.id)
    .executeTakeFirstOrThrow()
  return row.credits_used
}

describe('a retrieval', () => {
  it.each(ROUTES)(
    'by /v1/%s records one event with its counts and no content [AUD-5, AUD-17, SURF-5]',
    async (route) => {
      const answer = await send(route)
      const requestId = answer.headers.get('x-request-id')
      expect(requestId).toEqual(anId)
      const [event, ...others] = await retrievals()
      expect(others).toEqual([])
      expect(event).toEqual({
        id: anId,
        organizationId: organization.id,
        actorUserId: null,
        actorApiKeyId: organization.adminKeyId,
        action: `${route}.retrieve`,
        targetType: TARGETS[route],
        targetId: requestId,
        metadata: {
          requestId,
          query,
          hitCount: 2,
          providers: ['slack', 'notion'],
          ...(route === 'context' ? { citationCount: 2, exclusionCount: 0 } : {}),
          ...(route === 'ask' ? { citationCount: 1 } : {}),
        },
        createdAt: aTime,
      })
      expect(JSON.stringify(event)).not.toMatch(/accrue|Twenty|PTO policy/)
    },
  )

  it('that is streamed, from the console or over MCP records the same event [AUD-17]', async () => {
    const { token, userId } = await signIn(service, issuer, `person of ${organization.id}`, {
      organizationId: organization.id,
      role: 'member',
    })
    await send('ask', { stream: true })
    for (const route of ROUTES) await send(`console/${route}`, { key: token })
    for (const name of ROUTES)
      await service.call('POST', '/mcp', {
        key: organization.adminKey,
        body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: { query } } },
        headers: { Accept: 'application/json, text/event-stream', 'MCP-Protocol-Version': '2025-06-18' },
      })
    const events = await retrievals()
    expect(events.map(({ action }: { action: string }) => action).toReversed()).toEqual([
      'ask.retrieve',
      ...ROUTES.map((route) => `${route}.retrieve`),
      ...ROUTES.map((route) => `${route}.retrieve`),
    ])
    const actors = events.map(({ actorUserId }: { actorUserId: string | null }) => actorUserId)
    expect(actors.toReversed()).toEqual([null, userId, userId, userId, null, null, null])
    expect(events.at(-1).metadata).toMatchObject({ query, hitCount: 2, citationCount: 1 })
    expect(await creditsUsed()).toBe(events.length)
  })

  it('without hits records an event, with the query cleaned for storage [AUD-17]', async () => {
    const { secret } = await organization.mint({ providers: ['gmail'] })
    for (const route of ROUTES) await send(route, { key: secret, body: { query: 'a \0 \ud800' } })
    expect(await retrievals()).toHaveLength(3)
    for (const { metadata } of await retrievals())
      expect(metadata).toMatchObject({ query: expect.stringMatching(/^a/), hitCount: 0, providers: [] })
  })

  it('that is refused or fails records none [AUD-17, CRED-3]', async () => {
    const { secret } = await organization.mint({ actions: ['ingest'] })
    for (const route of ROUTES) {
      expect((await send(route, { body: { query: '' } })).status).toBe(400)
      expect((await send(route, { key: secret })).status).toBe(403)
    }
    script = ['Twenty-five', new Error('cut off')]
    expect((await send('ask', { stream: true })).text).toContain('event: error')
    await service.database.db
      .updateTable('subscriptions')
      .set({ credits_used: 5_000 })
      .where('organization_id', '=', organization.id)
      .execute()
    for (const route of ROUTES) expect((await send(route)).status).toBe(429)
    expect(await retrievals()).toEqual([])
  })

  it('is hidden from a scoped key when it found something of another provider [AUD-14]', async () => {
    const scoped = (providers: ProviderId[]) => organization.mint({ providers })
    const [slack, notion] = await Promise.all([scoped(['slack']), scoped(['notion'])])
    for (const key of [organization.adminKey, slack.secret, notion.secret])
      for (const route of ROUTES) await send(route, { key })
    expect(await retrievals()).toHaveLength(9)
    for (const { id, secret } of [slack, notion]) {
      const seen = await retrievals(secret)
      expect(seen).toHaveLength(3)
      for (const { actorApiKeyId } of seen) expect(actorApiKeyId).toBe(id)
    }
  })
})
