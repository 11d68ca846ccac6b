import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { hashEmbeddingModel } from '../../test/support/hash-embedding-model.ts'
import { testItem } from '../../test/support/items.ts'
import { insertOrganization, insertSource, type TestOrganization } from '../../test/support/organizations.ts'
import { createRouteServer } from '../../test/support/route-server.ts'
import { testTerms } from '../../test/support/term-weights.ts'
import type { Row } from '../database/schema.ts'
import { adoptModel, createModelRegistry, ensureStoredModel } from '../models/index.ts'
import { createItems, type Items } from '../items/index.ts'
import type { AgentCaller, ConsoleCaller } from '../kernel/caller.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import { createRetrieval, type RetrievalServices, retrievalRoutes } from '../retrieval/index.ts'
import { contextRoutes, type ContextServices, createRetrieveContext } from './index.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')
const minutesAgo = (minutes: number): Date => new Date(NOW.getTime() - minutes * 60_000)

let database: TestDatabase
let server: FastifyInstance
let items: Items
let organization: TestOrganization
const configured = hashEmbeddingModel({ id: 'configured' })
const builtin = hashEmbeddingModel({ id: 'builtin-1' })
const callers = new Map<string, AgentCaller | ConsoleCaller>()
const clock = { now: () => NOW }

beforeAll(async () => {
  database = await createTestDatabase()
  const models = createModelRegistry({ configured, builtin: async () => builtin })
  items = createItems({ db: database.db, models, clock })
  const deps = { db: database.db, models, clock, terms: testTerms }
  const retrieval = createRetrieval(deps)
  const services = { retrieval, context: createRetrieveContext({ ...deps, search: retrieval.search }) }
  server = await createRouteServer<RetrievalServices & ContextServices>(
    [...retrievalRoutes, ...contextRoutes],
    services,
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
  callers.set('scoped', organization.caller(['notion', 'gmail']))
})

async function write(provider: ProviderId, externalId: string, title: string, body = 'apple'): Promise<void> {
  const item = testItem(organization, { provider, externalId, title, body })
  await items.write(organization.id, [item])
}

async function context(body: Record<string, unknown>, key = 'key', path = '/v1/context') {
  const response = await server.inject({
    method: 'POST',
    url: path,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    payload: JSON.stringify(body),
  })
  return { status: response.statusCode, requestId: response.headers['x-request-id'], body: response.json() }
}

async function codes(key = 'key', filter?: object): Promise<string[]> {
  const { body } = await context({ query: 'apple', ...(filter ? { filter } : {}) }, key)
  return body.limitations.map(({ code }: { code: string }) => code)
}

/** Creates a source with an account. */
function source(provider: ProviderId, values: Partial<Row<'sources'>>): Promise<string> {
  return insertSource(database.db, organization.id, { push_only: false, ...values, provider })
}

describe('POST /v1/context', () => {
  it('returns every field of the contract, with a citation for each hit from 1 on', async () => {
    await write('notion', 'a', 'Fruit', 'apple')
    await write('slack', 'b', 'Pie', 'apple pie with cream')
    const query = ' Apple? '
    const { status, requestId, body } = await context({ query, limit: 5 })
    expect(status).toBe(200)
    const [first, second] = body.hits
    expect(body).toEqual({
      contract: {
        version: '1.0',
        requestId,
        endpoint: '/v1/context',
        issuedAt: NOW.toISOString(),
        callerActorType: 'agent',
        callerApiKeyId: organization.caller().apiKeyId,
      },
      query: { raw: query, limit: 5 },
      hits: [expect.objectContaining({ title: 'Fruit' }), expect.objectContaining({ title: 'Pie' })],
      citations: [
        { index: 1, sourceItemId: first.sourceItemId, title: 'Fruit' },
        { index: 2, sourceItemId: second.sourceItemId, title: 'Pie' },
      ],
      exclusions: [],
      limitations: [],
    })
  })

  it('has the same hits as a search', async () => {
    for (let index = 0; index < 12; index++) await write('notion', `p${index}`, `Page ${index}`)
    const search = await context({ query: 'apple page 3' }, 'key', '/v1/search')
    expect((await context({ query: 'apple page 3' })).body.hits).toEqual(search.body.hits)
  })

  it('names each provider out of scope, stored or not, and shows nothing of it', async () => {
    await write('slack', 'secret', 'Secret')
    await write('notion', 'open', 'Open')
    const { body } = await context({ query: 'apple' }, 'scoped')
    expect(body.hits).toMatchObject([{ title: 'Open' }])
    expect(body.exclusions).toEqual([
      { type: 'provider_scope', provider: 'slack', reason: expect.stringContaining('slack') },
      { type: 'provider_scope', provider: 'google_drive', reason: expect.stringContaining('google_drive') },
    ])
    expect(body.limitations).toEqual([
      { code: 'provider_scope_applied', message: expect.stringContaining('notion, gmail') },
    ])
  })

  it('names the user instead of a key in the console', async () => {
    const userId = randomUUID()
    callers.set('person', {
      kind: 'console',
      organizationId: organization.id,
      userId,
      role: 'member',
      allowedProviders: null,
    })
    const { body } = await context({ query: 'apple' }, 'person', '/v1/console/context')
    expect(body.contract).toMatchObject({
      endpoint: '/v1/console/context',
      callerActorType: 'user',
      callerApiKeyId: null,
    })
  })

  it('accepts the filter of a search', async () => {
    await write('notion', 'a', 'Page')
    await write('slack', 'b', 'Chat')
    const { body } = await context({ query: 'apple', filter: { providers: ['slack'] } })
    expect(body.hits).toMatchObject([{ title: 'Chat' }])
  })
})

describe('the limitations of a context', () => {
  it('do not report push-only sources as stale or unfinished, however old they are', async () => {
    expect(await codes()).toEqual([])
  })

  it('report source_stale for a source that synced over an hour ago, by its name', async () => {
    await source('slack', { last_synced_at: minutesAgo(60) })
    expect(await codes()).toEqual([])
    await source('slack', { last_synced_at: minutesAgo(61), display_name: 'Old chat' })
    const { body } = await context({ query: 'apple' })
    expect(body.limitations).toEqual([
      { code: 'source_stale', message: expect.stringContaining('Old chat (slack)') },
    ])
  })

  it('report source_stale for a source whose last sync failed', async () => {
    await source('gmail', { last_synced_at: minutesAgo(1), status: 'error' })
    expect(await codes()).toEqual(['source_stale'])
  })

  it('report source_sync_incomplete while the first sync is unfinished', async () => {
    await source('google_drive', { status: 'pending' })
    expect(await codes()).toEqual(['source_sync_incomplete'])
  })

  it('do not mention sources out of scope or excluded by the filter', async () => {
    const stale = await source('slack', { last_synced_at: minutesAgo(61) })
    expect(await codes('scoped')).toEqual(['provider_scope_applied'])
    expect(await codes('key', { providers: ['notion'] })).toEqual([])
    expect(await codes('key', { connectorId: organization.sourceIds.slack })).toEqual([])
    expect(await codes('key', { connectorId: stale })).toEqual(['source_stale'])
  })

  it('report embedding_fallback while a model other than the configured one answers', async () => {
    const stored = await ensureStoredModel(database.db, builtin)
    await database.db.transaction().execute((tx) => adoptModel(tx, organization.id, stored.id))
    await write('notion', 'a', 'Page')
    const { body } = await context({ query: 'apple' })
    expect(body.hits).toHaveLength(1)
    expect(body.limitations).toEqual([
      { code: 'embedding_fallback', message: expect.stringMatching(/builtin-1.*configured/) },
    ])
  })

  it('are replaced by a clear error while the model of the stored vectors is unavailable', async () => {
    const stored = await ensureStoredModel(database.db, hashEmbeddingModel({ id: 'openai:gone:64' }))
    await database.db.transaction().execute((tx) => adoptModel(tx, organization.id, stored.id))
    for (const path of ['/v1/context', '/v1/search']) {
      expect(await context({ query: 'apple' }, 'key', path)).toMatchObject({
        status: 409,
        body: {
          code: 'embedding_model_mismatch',
          storedModel: 'openai:gone:64',
          configuredModel: 'configured',
        },
      })
    }
    await expect(write('notion', 'a', 'Page')).rejects.toMatchObject({ code: 'embedding_model_mismatch' })
  })
})
