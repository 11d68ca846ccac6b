import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { hashEmbeddingModel } from '../../test/support/hash-embedding-model.ts'
import { testItem } from '../../test/support/items.ts'
import { insertOrganization, type TestOrganization } from '../../test/support/organizations.ts'
import { createRouteServer } from '../../test/support/route-server.ts'
import { testTerms } from '../../test/support/term-weights.ts'
import { createModelRegistry } from '../models/index.ts'
import { createItems, type Items } from '../items/index.ts'
import type { AgentCaller, ConsoleCaller } from '../kernel/caller.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import { contextRoutes, type ContextServices, createRetrieveContext } from '../context/index.ts'
import { createRetrieval, type RetrievalServices, retrievalRoutes, type Search } from './index.ts'
import type { Hit } from './schemas.ts'

const clock = { now: () => new Date('2026-03-01T12:00:00.000Z') }
const QUERY = 'apple bridge'

let database: TestDatabase
let server: FastifyInstance
let items: Items
let search: Search
let organization: TestOrganization
const callers = new Map<string, AgentCaller | ConsoleCaller>()

beforeAll(async () => {
  database = await createTestDatabase()
  const model = hashEmbeddingModel({ dimensions: 512 })
  const models = createModelRegistry({ configured: model, builtin: async () => model })
  items = createItems({ db: database.db, models, clock })
  const deps = { db: database.db, models, clock, terms: testTerms }
  const retrieval = createRetrieval(deps)
  search = retrieval.search
  const context = createRetrieveContext({ ...deps, search })
  server = await createRouteServer<RetrievalServices & ContextServices>(
    [...retrievalRoutes, ...contextRoutes],
    { retrieval, context },
    callers,
  )
})
afterAll(async () => {
  await server.close()
  await database.close()
})
beforeEach(async () => {
  organization = await insertOrganization(database.db)
  callers.clear()
  callers.set('key', organization.caller())
  callers.set('notion', organization.caller(['notion']))
})

async function write(of: TestOrganization, provider: ProviderId, bodies: readonly string[]): Promise<void> {
  const written = bodies.map((body, index) =>
    testItem(of, { provider, externalId: `${index}`, title: `${provider} ${index}`, body }),
  )
  await items.write(of.id, written)
}

async function ask(body: object, { key = 'key', path = '/v1/search' } = {}) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const response = await server.inject({ method: 'POST', url: path, headers, payload: JSON.stringify(body) })
  return { status: response.statusCode, body: response.json() }
}

async function hybrid(body: object = {}, options: { key?: string; path?: string } = {}): Promise<Hit[]> {
  const answer = await ask({ query: QUERY, rank: 'hybrid', ...body }, options)
  expect(answer).toMatchObject({ status: 200 })
  return answer.body.hits
}

const BODIES = [
  'apple candle',
  'bridge candle',
  'apple bridge candle desert',
  'apple apple island',
  'jungle apple harbour garden engine',
]
const relevances = (hits: readonly Hit[]): number[] => hits.map(({ relevance }) => relevance ?? NaN)

describe('rank: "hybrid"', () => {
  it('returns the hits of a search with their scores and a descending relevance of 0 to 1', async () => {
    await write(organization, 'notion', BODIES)
    const hits = await hybrid({ limit: 25 })
    const nearest: Hit[] = (await ask({ query: QUERY, limit: 25 })).body.hits
    const byScore = hits.map(({ relevance: _relevance, ...hit }) => hit).toSorted((a, b) => b.score - a.score)
    expect(byScore.map(({ score }) => score)).toEqual(nearest.map(({ score }) => score))
    expect(new Set(byScore.map(({ title }) => title))).toEqual(new Set(nearest.map(({ title }) => title)))
    const shown = relevances(hits)
    expect(shown).toEqual(shown.toSorted((a, b) => b - a))
    for (const relevance of shown) {
      expect(relevance).toBeGreaterThan(0)
      expect(relevance).toBeLessThanOrEqual(1)
    }
  })

  it('is optional: by default hits come by score and have no relevance', async () => {
    await write(organization, 'notion', BODIES)
    const plain = await ask({ query: QUERY })
    expect(await ask({ query: QUERY, rank: 'vector' })).toEqual(plain)
    for (const hit of plain.body.hits) expect(hit).not.toHaveProperty('relevance')
    expect((await ask({ query: QUERY, rank: 'words' })).status).toBe(400)
  })

  it('works for context too, whose citations follow the order', async () => {
    await write(organization, 'notion', BODIES)
    const { body } = await ask({ query: QUERY, rank: 'hybrid' }, { path: '/v1/context' })
    expect(body.hits).toEqual(await hybrid())
    expect(body.citations).toEqual(
      body.hits.map(({ sourceItemId, title }: Hit, at: number) => ({ index: at + 1, sourceItemId, title })),
    )
  })

  it('respects scope, filter and limit', async () => {
    await write(organization, 'notion', BODIES)
    await write(organization, 'slack', BODIES)
    expect(await hybrid({ limit: 3 })).toEqual((await hybrid({ limit: 25 })).slice(0, 3))
    const scoped = await hybrid({ limit: 25 }, { key: 'notion' })
    expect(scoped).toHaveLength(BODIES.length)
    expect(new Set(scoped.map(({ provider }) => provider))).toEqual(new Set(['notion']))
    expect(await hybrid({ filter: { providers: ['slack'] } }, { key: 'notion' })).toEqual([])
    const filtered = await hybrid({ filter: { providers: ['slack'] } })
    expect(new Set(filtered.map(({ provider }) => provider))).toEqual(new Set(['slack']))
  })

  it('breaks ties by item and position, so that a query always returns the same answer', async () => {
    await write(
      organization,
      'notion',
      Array.from({ length: 30 }, () => 'apple'),
    )
    const once = await hybrid({ query: 'apple', limit: 10 })
    expect(await hybrid({ query: 'apple', limit: 10 })).toEqual(once)
    const ids = once.map(({ sourceItemId }) => sourceItemId)
    expect(ids).toEqual(ids.toSorted())
  })
})

describe.each(['hybrid', 'reading'] as const)('the %s order', (rank) => {
  it("is the same, with equal relevance, whether or not anything is stored out of a key's scope", async () => {
    const shared = await insertOrganization(database.db)
    for (const of of [organization, shared]) await write(of, 'notion', BODIES)
    await write(
      shared,
      'slack',
      Array.from({ length: 250 }, (_, index) => `apple bridge number ${index}`),
    )
    const seen = async (of: TestOrganization) =>
      (await search(of.caller(['notion']), { query: QUERY, limit: 25, rank })).hits.map(
        ({ title, score, relevance }) => ({ title, score, relevance }),
      )
    expect(await seen(shared)).toEqual(await seen(organization))
    expect(await seen(shared)).toHaveLength(BODIES.length)
  })
})
