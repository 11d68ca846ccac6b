import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import * as fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { hashEmbeddingModel } from '../../test/support/hash-embedding-model.ts'
import { testItem } from '../../test/support/items.ts'
import { insertOrganization, type TestOrganization } from '../../test/support/organizations.ts'
import { createRouteServer } from '../../test/support/route-server.ts'
import { testTerms } from '../../test/support/term-weights.ts'
import { createModelRegistry } from '../models/index.ts'
import { createItems, type Items, type NewItem } from '../items/index.ts'
import type { AgentCaller, ConsoleCaller } from '../kernel/caller.ts'
import { PROVIDERS } from '../providers/index.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import { createRetrieval, retrievalRoutes } from './index.ts'
import type { Hit } from './schemas.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')
const WORDS = [
  'apple',
  'bridge',
  'candle',
  'desert',
  'engine',
  'forest',
  'garden',
  'harbour',
  'island',
  'jungle',
]

let database: TestDatabase
let server: FastifyInstance
let items: Items
let organization: TestOrganization
const model = hashEmbeddingModel({ dimensions: 512 })
const callers = new Map<string, AgentCaller | ConsoleCaller>()
const clock = { at: NOW, now: () => clock.at }

beforeAll(async () => {
  database = await createTestDatabase()
  const models = createModelRegistry({ configured: model, builtin: async () => model })
  items = createItems({ db: database.db, models, clock })
  server = await createRouteServer(
    retrievalRoutes,
    { retrieval: createRetrieval({ db: database.db, models, clock, terms: testTerms }) },
    callers,
  )
})
afterAll(async () => {
  await server.close()
  await database.close()
})
beforeEach(async () => {
  clock.at = NOW
  organization = await insertOrganization(database.db)
  callers.clear()
  callers.set('key', organization.caller())
})

const newItem = (values: Partial<NewItem> & { externalId: string }, of = organization): NewItem =>
  testItem(of, { title: '', ...values })

async function search(body: Record<string, unknown>, key = 'key', path = '/v1/search') {
  const response = await server.inject({
    method: 'POST',
    url: path,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    payload: JSON.stringify(body),
  })
  return { status: response.statusCode, body: response.json() }
}

async function hitsOf(body: Record<string, unknown>, key = 'key'): Promise<Hit[]> {
  const answer = await search(body, key)
  expect(answer).toMatchObject({ status: 200 })
  return answer.body.hits
}

/** Cosine similarity in half precision, the precision of stored vectors. */
function cosine(a: Float32Array, b: Float32Array): number {
  let [dot, aa, bb] = [0, 0, 0]
  for (let index = 0; index < a.length; index++) {
    const x = Math.f16round(a[index] ?? 0)
    const y = Math.f16round(b[index] ?? 0)
    dot += x * y
    aa += x * x
    bb += y * y
  }
  return aa === 0 || bb === 0 ? 0 : dot / Math.sqrt(aa * bb)
}

describe('POST /v1/search', () => {
  it('returns the query unchanged, and hits with the cosine similarity of their text', async () => {
    await items.write(organization.id, [
      newItem({ externalId: 'a', title: 'Apple', body: 'apple pie' }),
      newItem({ externalId: 'b', title: 'Bridge', body: 'bridge' }),
    ])
    const query = '  Apple PIE?\n'
    const { status, body } = await search({ query })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      query,
      hits: [{ title: 'Apple', content: 'apple pie', score: expect.closeTo(3 / Math.sqrt(5 * 2), 3) }],
    })
    expect(model.calls.queries.at(-1)).toBe(query)
  })

  it('returns an empty url for an item without one', async () => {
    await items.write(organization.id, [newItem({ externalId: 'a' })])
    expect((await hitsOf({ query: 'apple' }))[0]?.url).toBe('')
  })

  it('finds nothing if nothing is stored or no vector points the same way', async () => {
    expect(await hitsOf({ query: 'apple' })).toEqual([])
    await items.write(organization.id, [newItem({ externalId: 'a' })])
    expect(await hitsOf({ query: 'bridge' })).toEqual([])
    expect(await hitsOf({ query: '!?' })).toEqual([])
  })

  it('gives the same text a score of exactly 1, and never more', async () => {
    await items.write(organization.id, [newItem({ externalId: 'a', body: WORDS.join(' ') })])
    const [hit] = await hitsOf({ query: WORDS.join(' ') })
    expect(hit?.score).toBeCloseTo(1, 4)
    expect(hit?.score).toBeLessThanOrEqual(1)
  })

  it('returns an item once for each chunk among the best', async () => {
    const body = Array.from({ length: 60 }, () => `${WORDS.join(' ')}.`).join('\n\n')
    await items.write(organization.id, [newItem({ externalId: 'long', body })])
    const hits = await hitsOf({ query: 'apple', limit: 25 })
    expect(hits.length).toBeGreaterThan(1)
    expect(new Set(hits.map((hit) => hit.sourceItemId)).size).toBe(1)
    expect(hits.map((hit) => hit.content).join('\n\n')).toBe(body)
  })

  it('breaks ties by item and then by position, so that a query always returns the same answer', async () => {
    await items.write(
      organization.id,
      Array.from({ length: 40 }, (_, index) => newItem({ externalId: `p${index}` })),
    )
    const hits = await hitsOf({ query: 'apple', limit: 25 })
    const rows = await database.db
      .selectFrom('source_items')
      .select('id')
      .where('organization_id', '=', organization.id)
      .execute()
    const expected = rows
      .map(({ id }) => id)
      .toSorted()
      .slice(0, 25)
    expect(hits.map((hit) => hit.sourceItemId)).toEqual(expected)
    expect(await hitsOf({ query: 'apple', limit: 25 })).toEqual(hits)
  })

  it('finds a document as soon as its ingest returns, likewise an update, and never a deleted one', async () => {
    await items.write(organization.id, [newItem({ externalId: 'a', body: 'apple' })])
    const [hit] = await hitsOf({ query: 'apple' })
    await items.write(organization.id, [newItem({ externalId: 'a', body: 'bridge' })])
    expect(await hitsOf({ query: 'apple' })).toEqual([])
    expect(await hitsOf({ query: 'bridge' })).toMatchObject([{ sourceItemId: hit?.sourceItemId }])
    await items.remove(organization.caller(), { provider: 'notion', externalId: 'a' })
    expect(await hitsOf({ query: 'bridge' })).toEqual([])
  })

  it('returns 8 hits by default', async () => {
    await items.write(
      organization.id,
      Array.from({ length: 30 }, (_, index) => newItem({ externalId: `p${index}` })),
    )
    expect(await hitsOf({ query: 'apple' })).toHaveLength(8)
    expect(await hitsOf({ query: 'apple', limit: 1 })).toHaveLength(1)
    expect(await hitsOf({ query: 'apple', limit: 25 })).toHaveLength(25)
  })

  it('answers a user in the console the same way', async () => {
    await items.write(organization.id, [newItem({ externalId: 'a' })])
    callers.set('person', {
      kind: 'console',
      organizationId: organization.id,
      userId: randomUUID(),
      role: 'member',
      allowedProviders: null,
    })
    const answer = await search({ query: 'apple' }, 'person', '/v1/console/search')
    expect(answer).toEqual(await search({ query: 'apple' }))
  })

  it.each([
    ['no query', {}],
    ['an empty query', { query: '' }],
    ['a query of white space', { query: ' \n\t\u00a0' }],
    ['a query that is too long', { query: 'x'.repeat(8_193) }],
    ['a query that is no text', { query: 7 }],
    ['a limit of 0', { query: 'a', limit: 0 }],
    ['a limit of 26', { query: 'a', limit: 26 }],
    ['a limit that is no whole number', { query: 'a', limit: 2.5 }],
    ['a limit that is text', { query: 'a', limit: '5' }],
    ['an unknown field', { query: 'a', top: 5 }],
    ['an unknown filter', { query: 'a', filter: { color: 'red' } }],
    ['an unknown provider in the filter', { query: 'a', filter: { providers: ['dropbox'] } }],
    ['an empty list of providers', { query: 'a', filter: { providers: [] } }],
    ['a filter by a list in metadata', { query: 'a', filter: { metadata: { labels: ['x'] } } }],
    ['a filter by no date', { query: 'a', filter: { updatedAfter: 'yesterday' } }],
  ])('rejects %s with 400', async (_name, body) => {
    expect(await search(body)).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
  })

  it('accepts a query of 8,192 characters, however many bytes or surrogates they take', async () => {
    await items.write(organization.id, [newItem({ externalId: 'a' })])
    expect((await search({ query: ` ${'🙂'.repeat(8_192)} ` })).status).toBe(200)
    expect((await search({ query: 'x'.repeat(8_192) })).status).toBe(200)
    expect((await search({ query: '🙂'.repeat(8_193) })).status).toBe(400)
    expect((await search({ query: 'apple \0 \ud800' })).status).toBe(200)
  })
})

describe('exact search', () => {
  const text = fc
    .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 6 })
    .map((words) => words.join(' '))

  it('returns the chunks with the highest cosine similarity, in that order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(text, { minLength: 1, maxLength: 30 }),
        text,
        fc.integer({ min: 1, max: 25 }),
        async (bodies, query, limit) => {
          organization = await insertOrganization(database.db)
          callers.set('key', organization.caller())
          await items.write(
            organization.id,
            bodies.map((body, index) => newItem({ externalId: `p${index}`, body })),
          )
          const hits = await hitsOf({ query, limit })
          const queryVector = await model.embedQuery(query)
          const vectors = await model.embedDocuments(bodies.map((body) => ({ title: '', text: body })))
          const scores = vectors.map((vector) => cosine(queryVector, vector)).filter((score) => score > 0)
          const best = scores.toSorted((a, b) => b - a).slice(0, limit)
          expect(hits.map((hit) => hit.score)).toEqual(best.map((score) => expect.closeTo(score, 4)))
        },
      ),
      { numRuns: 25 },
    )
  })
})

describe('a search never sees out of its scope', () => {
  const stored = fc.array(
    fc.record({ owner: fc.integer({ min: 0, max: 1 }), provider: fc.constantFrom(...PROVIDERS) }),
    { minLength: 1, maxLength: 40 },
  )
  const scope = fc.option(fc.subarray([...PROVIDERS], { minLength: 1 }), { nil: null })

  it('returns the full limit of hits to every key, all of its own organization and providers', async () => {
    await fc.assert(
      fc.asyncProperty(
        stored,
        scope,
        scope,
        fc.integer({ min: 1, max: 25 }),
        async (given, allowed, asked, limit) => {
          const owners = [
            await insertOrganization(database.db),
            await insertOrganization(database.db),
          ] as const
          for (const [index, owner] of owners.entries()) {
            await items.write(
              owner.id,
              given
                .filter((one) => one.owner === index)
                .map(({ provider }, n) =>
                  newItem({ externalId: `${index}-${n}`, provider, title: `${index}` }, owner),
                ),
            )
          }
          callers.set('scoped', owners[0].caller(allowed))
          const hits = await hitsOf(
            { query: 'apple', limit, ...(asked ? { filter: { providers: asked } } : {}) },
            'scoped',
          )
          const visible = (provider: ProviderId): boolean =>
            (allowed === null || allowed.includes(provider)) && (asked === null || asked.includes(provider))
          const mine = given.filter((one) => one.owner === 0 && visible(one.provider))
          expect(hits).toHaveLength(Math.min(limit, mine.length))
          for (const hit of hits) {
            expect(visible(hit.provider)).toBe(true)
            expect(hit.title).toBe('0')
          }
        },
      ),
      { numRuns: 30 },
    )
  })
})

describe('the filter of a search', () => {
  beforeEach(async () => {
    await items.write(organization.id, [
      newItem({
        externalId: 'page',
        title: 'page',
        authorName: 'Ada',
        sourceUpdatedAt: new Date('2025-06-01T00:00:00Z'),
        metadata: { team: 'core', stars: 3, draft: false, none: null, labels: ['x'] },
      }),
      newItem({
        externalId: 'chat',
        title: 'chat',
        provider: 'slack',
        sourceKind: 'message',
        authorName: 'Grace',
        sourceCreatedAt: new Date('2025-01-01T00:00:00Z'),
        metadata: { team: 'sales', labels: 'x' },
      }),
      newItem({ externalId: 'mail', title: 'mail', provider: 'gmail', sourceKind: 'message' }),
    ])
  })

  it.each<[string, () => Record<string, unknown>, string[]]>([
    ['nothing', () => ({}), ['chat', 'mail', 'page']],
    ['providers', () => ({ providers: ['slack', 'gmail'] }), ['chat', 'mail']],
    ['kinds', () => ({ sourceKinds: ['message'] }), ['chat', 'mail']],
    ['an author', () => ({ authorName: 'Ada' }), ['page']],
    ['an author whom nobody knows', () => ({ authorName: "A'da\0 \ud800" }), []],
    ['a time from which on', () => ({ updatedAfter: '2025-06-01T00:00:00Z' }), ['mail', 'page']],
    ['a time before which', () => ({ updatedBefore: '2025-06-01T00:00:00Z' }), ['chat']],
    [
      'a span',
      () => ({ updatedAfter: '2025-01-01T01:00:00+01:00', updatedBefore: '2025-07-01T00:00:00Z' }),
      ['chat', 'page'],
    ],
    ['a connector', () => ({ connectorId: organization.sourceIds.slack }), ['chat']],
    ['a connector that does not exist', () => ({ connectorId: randomUUID() }), []],
    ['a text in metadata', () => ({ metadata: { team: 'core' } }), ['page']],
    ['a number in metadata', () => ({ metadata: { stars: 3 } }), ['page']],
    ['a boolean in metadata', () => ({ metadata: { draft: false } }), ['page']],
    ['a null in metadata', () => ({ metadata: { none: null } }), ['page']],
    [
      'a text that is in a list for one item and alone for another',
      () => ({ metadata: { labels: 'x' } }),
      ['chat'],
    ],
    ['several keys of metadata', () => ({ metadata: { team: 'core', stars: 4 } }), []],
    ['several conditions', () => ({ sourceKinds: ['message'], authorName: 'Grace' }), ['chat']],
  ])('selects hits by %s', async (_name, filter, titles) => {
    const hits = await hitsOf({ query: 'apple', filter: filter() })
    expect(hits.map((hit) => hit.title).toSorted()).toEqual(titles)
  })

  it('dates an item without a date by when its content last changed, not by its last sync', async () => {
    const changed = new Date('2025-03-01T00:00:00Z')
    const note = newItem({ externalId: 'note', title: 'note' })
    clock.at = changed
    await items.write(organization.id, [note])
    clock.at = NOW
    await items.write(organization.id, [note])
    const span = { updatedAfter: changed.toISOString(), updatedBefore: '2025-04-01T00:00:00Z' }
    const [hit, ...others] = await hitsOf({ query: 'apple', filter: span })
    expect(hit).toMatchObject({ title: 'note', syncedAt: NOW.toISOString() })
    expect(others).toEqual([])
  })

  it('never widens the scope of a key', async () => {
    callers.set('scoped', organization.caller(['gmail']))
    for (const filter of [
      { providers: ['slack'] },
      { connectorId: organization.sourceIds.slack },
      { authorName: 'Grace' },
      { metadata: { team: 'sales' } },
    ]) {
      expect(await hitsOf({ query: 'apple', filter }, 'scoped')).toEqual([])
    }
  })
})
