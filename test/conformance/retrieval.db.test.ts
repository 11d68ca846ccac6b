import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { PROVIDERS } from '../../src/providers/index.ts'
import { documentOf, push } from '../support/documents.ts'
import { hashEmbeddingModel } from '../support/hash-embedding-model.ts'
import { type Answer, startTestService, type TestOrganization, type TestService } from '../support/service.ts'
import { aNumber, anId, aText, aTime } from '../support/shapes.ts'

const model = hashEmbeddingModel()
let service: TestService
let organization: TestOrganization

beforeAll(async () => {
  service = await startTestService({ embeddingModel: model })
})
beforeEach(async () => {
  organization = await service.organization()
})
afterAll(() => service.close())

const query = 'paid time off'
const search = (body: Record<string, unknown> = {}, key = organization.adminKey): Promise<Answer> =>
  service.call('POST', '/v1/search', { key, body: { query, ...body } })
const context = (body: Record<string, unknown> = {}, key = organization.adminKey): Promise<Answer> =>
  service.call('POST', '/v1/context', { key, body: { query, ...body } })

/** Items about paid time off; a lower number is nearer. */
const items = (count: number, values: Parameters<typeof documentOf>[1] = {}) =>
  Array.from({ length: count }, (_, at) =>
    documentOf(organization, {
      title: `Item ${at}`,
      body: `Paid time off. ${'Something else. '.repeat(at)}`,
      externalId: `${values.provider ?? 'notion'}-${at}`,
      ...values,
    }),
  )

const titles = (answer: Answer): string[] => answer.body.hits.map(({ title }: { title: string }) => title)

describe('a hit', () => {
  it('has every field of its item, and the matching text [HIT-1, SEA-3, ING-11, SURF-4, SURF-5]', async () => {
    const metadata = { workspace: 'T1', accessPolicy: { visibility: 'team' } }
    const url = 'https://wiki.example.com/pto'
    await push(service, organization, documentOf(organization, { metadata, url }))
    const { status, body } = await search()
    expect(status).toBe(200)
    expect(body).toEqual({
      query,
      hits: [
        {
          sourceItemId: anId,
          title: 'PTO policy',
          content: 'Employees accrue 25 days of paid time off per year. Unused days expire in March.',
          url,
          provider: 'notion',
          score: aNumber,
          metadata,
          syncedAt: aTime,
        },
      ],
    })
  })

  it('has an empty url when its item has none [HIT-2]', async () => {
    await push(service, organization, documentOf(organization))
    expect((await search()).body.hits[0].url).toBe('')
  })

  it('is ordered by score, between 0 and 1, best first, deterministically [HIT-3, SURF-7]', async () => {
    await push(
      service,
      organization,
      ...items(12),
      ...items(3, { provider: 'slack', body: 'Paid time off.' }),
    )
    const first = await search({ limit: 25 })
    const scores: number[] = first.body.hits.map(({ score }: { score: number }) => score)
    expect(scores).toHaveLength(15)
    expect(scores).toEqual(scores.toSorted((a, b) => b - a))
    expect(Math.min(...scores)).toBeGreaterThan(0)
    expect(Math.max(...scores)).toBeLessThanOrEqual(1)
    for (let again = 0; again < 3; again++) expect((await search({ limit: 25 })).text).toBe(first.text)
  })

  it('is a chunk, so that an item can appear with several [HIT-4]', async () => {
    const paragraph = `Paid time off is granted. ${'Word by word the policy goes on. '.repeat(30)}`
    await push(service, organization, documentOf(organization, { body: `${paragraph}\n\n`.repeat(4) }))
    const { hits } = (await search()).body
    expect(hits.length).toBeGreaterThan(1)
    expect(new Set(hits.map(({ sourceItemId }: { sourceItemId: string }) => sourceItemId)).size).toBe(1)
  })

  it('is never unrelated to the query [HIT-5]', async () => {
    await push(service, organization, documentOf(organization, { title: 'Lunch', body: 'Soup.' }))
    expect((await search({ query: 'zebra' })).body.hits).toEqual([])
  })
})

describe('a retrieval request', () => {
  it.each([
    ['no query', { query: undefined }],
    ['a query of white space', { query: ' \n ' }],
    ['a query of 8,193 characters', { query: 'x'.repeat(8193) }],
    ['a query that is not text', { query: 7 }],
    ['limit 0', { limit: 0 }],
    ['limit 26', { limit: 26 }],
    ['limit 1.5', { limit: 1.5 }],
    ['limit as text', { limit: '8' }],
    ['limit null', { limit: null }],
    ['an unknown field', { topK: 3 }],
    ['an unknown filter', { filter: { colour: 'red' } }],
  ])('is refused with %s, in search, context and ask [SEA-1, SEA-2, ERR-2, ERR-10]', async (_what, wrong) => {
    for (const path of ['/v1/search', '/v1/context', '/v1/ask']) {
      const answer = await service.call('POST', path, {
        key: organization.adminKey,
        body: { query, ...wrong },
      })
      expect(answer, path).toMatchObject({
        status: 400,
        body: { code: 'validation_failed', error: aText, issues: [{ path: aText, message: aText }] },
      })
    }
  })

  it('may have 8,192 characters within white space, and reaches the model and the answer unchanged [SEA-1, SEA-6, SEA-3]', async () => {
    await push(service, organization, documentOf(organization))
    const long = `\n  ${'é🙂 '.repeat(2730)}  `
    model.calls.queries.length = 0
    const answer = await search({ query: long })
    expect(answer).toMatchObject({ status: 200, body: { query: long } })
    expect(model.calls.queries).toEqual([long])
  })

  it('gets 8 hits by default, and up to 25 on request [SEA-2]', async () => {
    await push(service, organization, ...items(30))
    for (const answer of [await search(), await context()]) expect(answer.body.hits).toHaveLength(8)
    for (const limit of [1, 25]) {
      expect((await search({ limit })).body.hits).toHaveLength(limit)
      expect((await context({ limit })).body.hits).toHaveLength(limit)
    }
  })

  it('is narrowed by its filter [SEA-7]', async () => {
    await push(
      service,
      organization,
      documentOf(organization, { externalId: 'a', title: 'Notion', authorName: 'Ada' }),
      documentOf(organization, {
        externalId: 'b',
        title: 'Slack',
        provider: 'slack',
        sourceKind: 'message',
        metadata: { channel: 'general', pinned: true },
        sourceUpdatedAt: '2020-01-01T00:00:00Z',
      }),
    )
    for (const [filter, expected] of [
      [{ providers: ['slack'] }, ['Slack']],
      [{ sourceKinds: ['document'] }, ['Notion']],
      [{ authorName: 'Ada' }, ['Notion']],
      [{ updatedBefore: '2021-01-01T00:00:00Z' }, ['Slack']],
      [{ updatedAfter: '2021-01-01T00:00:00Z' }, ['Notion']],
      [{ connectorId: organization.sources.slack.toUpperCase() }, ['Slack']],
      [{ metadata: { channel: 'general', pinned: true } }, ['Slack']],
      [{ metadata: { channel: 'random' } }, []],
      [{}, ['Notion', 'Slack']],
    ] as const) {
      expect(titles(await search({ filter })).toSorted(), JSON.stringify(filter)).toEqual(expected)
    }
  })
})

describe('a key with a provider scope', () => {
  it('gets its full number of hits even if hits of other providers are nearer, and learns nothing about those [SEA-4, SEA-5]', async () => {
    const { secret } = await organization.mint({ providers: ['gmail'] })
    const onlyGmail = await search({}, secret)
    expect(onlyGmail.body).toEqual({ query, hits: [] })
    await push(service, organization, ...items(20))
    expect((await search({}, secret)).body).toEqual(onlyGmail.body)
    await push(
      service,
      organization,
      ...items(10, { provider: 'gmail', title: 'Mail', body: 'Paid leave off work now.' }),
    )
    const { hits } = (await search({}, secret)).body
    expect(hits).toHaveLength(8)
    expect(hits.every(({ provider }: { provider: string }) => provider === 'gmail')).toBe(true)
  })

  it('sees no source, item, run or channel of another provider [SRC-10, ERR-6]', async () => {
    const { secret: key } = await organization.mint({ providers: ['gmail'] })
    await push(service, organization, documentOf(organization))
    const { sourceItemId } = (await search()).body.hits[0]
    const missing = '00000000-0000-4000-8000-000000000000'
    expect((await service.call('GET', '/v1/sources', { key })).body.sources).toMatchObject([
      { provider: 'gmail' },
    ])
    for (const [method, path, hidden, body] of [
      ['GET', '/v1/source-items/{id}', sourceItemId],
      ['DELETE', '/v1/source-items/{id}', sourceItemId],
      ['GET', '/v1/sources/{id}/channels', organization.sources.slack],
      ['PATCH', '/v1/sources/{id}', organization.sources.slack, { channelAllowlist: null }],
    ] as const) {
      const [shown, absent] = await Promise.all(
        [hidden, missing].map((id) => service.call(method, path.replace('{id}', id), { key, body })),
      )
      expect(shown?.status).toBe(404)
      expect(shown?.body).toEqual(absent?.body)
    }
    expect((await search()).body.hits).toHaveLength(1)
  })
})

describe('a Context Contract', () => {
  it('has every field, and the requestId of its audit event and response [CTX-1, CTX-2, CTX-3, CTX-4, CTX-6, AUD-5, OPS-4]', async () => {
    await push(service, organization, ...items(3))
    const key = await organization.mint({ actions: ['context'], actorType: 'application' })
    const answer = await context({ limit: 2 }, key.secret)
    expect(answer.status).toBe(200)
    const { hits } = answer.body
    expect(answer.body).toEqual({
      contract: {
        version: '1.0',
        requestId: answer.headers.get('x-request-id'),
        endpoint: '/v1/context',
        issuedAt: aTime,
        callerActorType: 'application',
        callerApiKeyId: key.id,
      },
      query: { raw: query, limit: 2 },
      hits,
      citations: hits.map((hit: { sourceItemId: string; title: string }, at: number) => ({
        index: at + 1,
        sourceItemId: hit.sourceItemId,
        title: hit.title,
      })),
      exclusions: [],
      limitations: [],
    })
    const audit = await service.call('GET', '/v1/audit-events', { key: organization.adminKey })
    expect(audit.body.auditEvents[0]).toEqual({
      id: anId,
      organizationId: organization.id,
      actorUserId: null,
      actorApiKeyId: key.id,
      action: 'context.retrieve',
      targetType: 'context_contract',
      targetId: answer.body.contract.requestId,
      metadata: {
        requestId: answer.body.contract.requestId,
        query,
        hitCount: 2,
        citationCount: 2,
        exclusionCount: 0,
        providers: ['notion'],
      },
      createdAt: aTime,
    })
  })

  it('has the hits of search, in its order [CTX-5]', async () => {
    await push(service, organization, ...items(12))
    expect((await context()).body.hits).toEqual((await search()).body.hits)
  })

  it('says which providers the scope excluded, stored or not, and that it was applied [CTX-7, CTX-8, SEA-4]', async () => {
    const scoped = await organization.mint({ providers: ['slack', 'gmail'] })
    const empty = (await context({}, scoped.secret)).body
    await push(service, organization, ...items(5))
    const full = (await context({}, scoped.secret)).body
    for (const { exclusions, limitations, hits } of [empty, full]) {
      expect(hits).toEqual([])
      expect(exclusions).toEqual(
        ['google_drive', 'notion'].map((provider) => ({ type: 'provider_scope', provider, reason: aText })),
      )
      expect(limitations).toEqual([{ code: 'provider_scope_applied', message: aText }])
    }
    const all = await organization.mint({ providers: PROVIDERS })
    expect((await context({}, all.secret)).body).toMatchObject({
      exclusions: [],
      limitations: [{ code: 'provider_scope_applied' }],
    })
  })

  it('says when a source is stale or its first sync unfinished, within the scope only [CTX-9, CTX-10]', async () => {
    const codes = async (key?: string): Promise<string[]> =>
      (await context({}, key)).body.limitations.map(({ code }: { code: string }) => code)
    const slack = (values: object) =>
      service.database.db
        .updateTable('sources')
        .set({ push_only: false, ...values })
        .where('id', '=', organization.sources.slack)
        .execute()
    await slack({ status: 'pending', last_synced_at: null })
    expect(await codes()).toEqual(['source_sync_incomplete'])
    await slack({ status: 'active', last_synced_at: new Date(Date.now() - 61 * 60_000) })
    expect(await codes()).toEqual(['source_stale'])
    await slack({ status: 'error', last_synced_at: new Date() })
    expect(await codes()).toEqual(['source_stale'])
    const scoped = await organization.mint({ providers: ['gmail'] })
    expect(await codes(scoped.secret)).toEqual(['provider_scope_applied'])
    await slack({ status: 'active', last_synced_at: new Date(Date.now() - 59 * 60_000) })
    expect(await codes()).toEqual([])
  })
})
