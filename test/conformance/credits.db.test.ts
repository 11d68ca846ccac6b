import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hashEmbeddingModel } from '../support/hash-embedding-model.ts'
import { SUBSCRIPTION_STATUSES } from '../../src/database/schema-words.ts'
import { documentOf, push } from '../support/documents.ts'
import { startIssuer, type TestIssuer } from '../support/issuer.ts'
import { type Person, signIn } from '../support/people.ts'
import { startTestService, type TestOrganization, type TestService } from '../support/service.ts'
import { aText } from '../support/shapes.ts'

let now = new Date('2026-05-04T10:20:30.456Z')
const clock = { now: () => now }
/** An embedding model that can be made to fail. */
const model = hashEmbeddingModel()
let modelFails = false
const embeddingModel: typeof model = {
  ...model,
  embedQuery: (query, signal) =>
    modelFails ? Promise.reject(new Error('out of order')) : model.embedQuery(query, signal),
}

let issuer: TestIssuer
let first: TestService
let second: TestService

beforeAll(async () => {
  issuer = await startIssuer()
  // Tokens are checked by this clock too.
  now = new Date()
  const options = { clock, embeddingModel, environment: issuer.environment }
  first = await startTestService(options)
  second = await startTestService({ ...options, database: first.database })
})
afterAll(async () => {
  await second.close()
  await first.close()
  await issuer.close()
})

async function withOwner(
  subscription: Parameters<TestService['organization']>[0],
): Promise<{ organization: TestOrganization; owner: Person }> {
  const organization = await first.organization(subscription)
  const membership = { organizationId: organization.id, role: 'owner' as const }
  return { organization, owner: await signIn(first, issuer, organization.id, membership) }
}

const billing = async (owner: Person) =>
  (await first.call('GET', '/v1/console/billing', { key: owner.token })).body
const search = (organization: TestOrganization, on = first) =>
  on.call('POST', '/v1/search', { key: organization.adminKey, body: { query: 'x' } })

describe('credits', () => {
  it('are charged for search, context, ask and their console twins, one each [CRED-1, CRED-8]', async () => {
    const { organization, owner } = await withOwner({ status: 'active', tier: 'builder' })
    await push(first, organization, documentOf(organization))
    const body = { query: 'paid time off' }
    let used = 0
    for (const path of ['search', 'context', 'ask']) {
      for (const [url, key] of [
        [`/v1/${path}`, organization.adminKey],
        [`/v1/console/${path}`, owner.token],
      ] as const) {
        expect((await first.call('POST', url, { key, body })).status, url).toBe(200)
        expect(await billing(owner), url).toMatchObject({
          creditsUsed: ++used,
          creditsIncluded: 5000,
          creditsRemaining: 5000 - used,
        })
      }
    }
  })

  it('are charged for nothing else [CRED-2]', async () => {
    const { organization, owner } = await withOwner({ status: 'active', tier: 'builder' })
    const key = organization.adminKey
    await push(first, organization, documentOf(organization))
    for (const [method, path, body] of [
      ['GET', '/v1/sources'],
      ['GET', `/v1/sources/${organization.sources.slack}/channels`],
      ['PATCH', `/v1/sources/${organization.sources.slack}`, { channelAllowlist: null }],
      ['GET', '/v1/sync-runs'],
      ['GET', '/v1/api-keys'],
      ['POST', '/v1/api-keys', { name: 'x', allowedActions: ['ask'], actorType: 'application' }],
      ['GET', '/v1/audit-events'],
      ['DELETE', '/v1/source-items?provider=notion&externalId=pto'],
    ] as const) {
      expect((await first.call(method, path, { key, body })).status, path).toBeLessThan(300)
    }
    for (const path of ['me', 'sources', 'sync-runs', 'api-keys', 'audit-events', 'billing']) {
      expect((await first.call('GET', `/v1/console/${path}`, { key: owner.token })).status, path).toBe(200)
    }
    expect(await billing(owner)).toMatchObject({ creditsUsed: 0 })
  })

  it('are not charged for a refused or failed request [CRED-3, ERR-3]', async () => {
    const { organization, owner } = await withOwner({ status: 'active', tier: 'builder' })
    await push(first, organization, documentOf(organization))
    const key = organization.adminKey
    expect((await first.call('POST', '/v1/search', { key, body: { query: '' } })).status).toBe(400)
    expect((await first.call('POST', '/v1/search', { key, raw: 'x' })).status).toBe(400)
    modelFails = true
    try {
      for (const path of ['/v1/search', '/v1/context', '/v1/ask']) {
        const failed = await first.call('POST', path, { key, body: { query: 'paid time off' } })
        expect(failed).toMatchObject({ status: 500, body: { code: 'internal', error: aText } })
        expect(failed.text).not.toContain('out of order')
        expect(Object.keys(failed.body).toSorted()).toEqual(['code', 'documentation', 'error'])
      }
    } finally {
      modelFails = false
    }
    expect(await billing(owner)).toMatchObject({ creditsUsed: 0 })
    const { auditEvents } = (await first.call('GET', '/v1/audit-events', { key })).body
    expect(auditEvents.map(({ action }: { action: string }) => action)).toEqual(['source_item.ingest'])
  })

  it('are exact at the cap of a hard-block tier, under concurrency on two instances [CRED-5, CRED-7]', async () => {
    const { organization, owner } = await withOwner({ status: 'active', tier: 'builder' })
    await first.database.db
      .updateTable('subscriptions')
      .set({ credits_used: 4990 })
      .where('organization_id', '=', organization.id)
      .execute()
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, at) => search(organization, at % 2 ? first : second)),
    )
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused).toHaveLength(20)
    const { periodEnd, ...rest } = await billing(owner)
    expect(rest).toMatchObject({ creditsUsed: 5000, creditsRemaining: 0 })
    for (const { body } of refused) {
      expect(body).toEqual({
        error: aText,
        code: 'quota_exceeded',
        documentation: expect.stringMatching(/\/errors#quota_exceeded$/),
        creditsUsed: 5000,
        creditsIncluded: 5000,
        resetAt: periodEnd,
      })
    }
    const refusedInConsole = await first.call('POST', '/v1/console/ask', {
      key: owner.token,
      body: { query: 'x' },
    })
    expect(refusedInConsole).toMatchObject({ status: 429, body: { code: 'quota_exceeded' } })
  })

  it('do not stop requests over the cap of a metered tier, or in an internal workspace [CRED-6, CRED-11]', async () => {
    for (const tier of ['studio', 'scale'] as const) {
      const { organization, owner } = await withOwner({ status: 'active', tier, creditsIncluded: 0 })
      expect((await search(organization)).status).toBe(200)
      expect(await billing(owner)).toMatchObject({ creditsUsed: 1, creditsIncluded: 0, creditsRemaining: 0 })
    }
    const { organization, owner } = await withOwner({ status: 'internal' })
    expect((await search(organization)).status).toBe(200)
    expect(await billing(owner)).toMatchObject({ creditsIncluded: null, creditsRemaining: null })
  })

  it('reset with each period [CRED-4]', async () => {
    const organization = await first.organization({ status: 'active', tier: 'builder', creditsIncluded: 1 })
    expect((await search(organization)).status).toBe(200)
    expect((await search(organization)).status).toBe(429)
    const today = now
    now = new Date(today.getTime() + 32 * 24 * 3_600_000)
    try {
      expect((await search(organization)).status).toBe(200)
      expect((await search(organization)).status).toBe(429)
    } finally {
      now = today
    }
  })
})

describe('a subscription', () => {
  it.each(SUBSCRIPTION_STATUSES)('that is %s retrieves or not, as documented [CRED-9]', async (status) => {
    const organization = await first.organization({ status, tier: 'builder' })
    const answer = await search(organization)
    if (['trialing', 'active', 'past_due', 'internal'].includes(status)) expect(answer.status).toBe(200)
    else expect(answer).toMatchObject({ status: 402, body: { code: 'subscription_required', status } })
  })

  it('that does not exist blocks retrieval, but nothing else [CRED-9]', async () => {
    const organization = await first.organization()
    await first.database.db
      .deleteFrom('subscriptions')
      .where('organization_id', '=', organization.id)
      .execute()
    expect(await search(organization)).toMatchObject({ status: 402, body: { code: 'subscription_required' } })
    expect((await push(first, organization, documentOf(organization))).status).toBe(200)
  })

  it("allows its tier's number of agents, of any actor type, and any number of push-only sources [CRED-10, KEY-6]", async () => {
    const { organization, owner } = await withOwner({ status: 'active', tier: 'builder' })
    const mint = (actorType: string, action = 'search') =>
      first.call('POST', '/v1/api-keys', {
        // The workspace's first key has every action, so it is the first agent.
        key: organization.adminKey,
        body: { name: 'x', allowedActions: [action], actorType },
      })
    expect((await mint('admin')).status).toBe(201)
    for (const actorType of ['agent', 'application', 'admin']) {
      expect(await mint(actorType)).toMatchObject({
        status: 402,
        body: { code: 'plan_limit_reached', resource: 'agents', limit: 2, used: 2 },
      })
      expect((await mint(actorType, 'ingest')).status).toBe(201)
    }
    const source = await first.call('POST', '/v1/console/sources', {
      key: owner.token,
      body: { provider: 'slack', displayName: 'x' },
    })
    expect(source.status).toBe(201)
    expect(await billing(owner)).toMatchObject({ connectorsUsed: 0, connectorsIncluded: 2 })
  })
})
