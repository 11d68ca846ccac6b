import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { routes } from '../../src/assembly/routes.ts'
import { createEmbeddingModel } from '../../src/inference/embedding-models/create-embedding-model.ts'
import {
  type DefaultProviderId as ProviderId,
  DEFAULT_PROVIDERS as PROVIDERS,
} from '../../src/providers/index.ts'
import { canvasNodes } from '../support/canvas.ts'
import { databaseContents } from '../support/database-contents.ts'
import { documentOf, push } from '../support/documents.ts'
import { hashEmbeddingModel } from '../support/hash-embedding-model.ts'
import { startTestService, type TestOrganization, type TestService } from '../support/service.ts'

let service: TestService

beforeAll(async () => {
  service = await startTestService({ embeddingModel: hashEmbeddingModel({ id: 'hash-1' }) })
})
afterAll(() => service.close())

const retrieve = (on: TestService, key: string, path = '/v1/search') =>
  on.call('POST', path, { key, body: { query: 'paid time off', limit: 25 } })

describe('two organizations with the same documents', () => {
  it("each retrieve only their own, within the key's scope [SEA-9, SEA-4, ASK-10]", async () => {
    const both = await Promise.all([service.organization(), service.organization()])
    const owners = new Map<string, { organization: TestOrganization; provider: ProviderId }>()
    for (const organization of both) {
      const documents = PROVIDERS.flatMap((provider) =>
        [1, 2].map((n) => documentOf(organization, { provider, externalId: `same-${n}` })),
      )
      await push(service, organization, ...documents)
      const { hits } = (await retrieve(service, organization.adminKey)).body
      expect(hits).toHaveLength(documents.length)
      for (const { sourceItemId, provider } of hits) owners.set(sourceItemId, { organization, provider })
    }
    expect(owners.size).toBe(2 * 2 * PROVIDERS.length)

    const scopes = fc.option(fc.uniqueArray(fc.constantFrom(...PROVIDERS), { minLength: 1 }))
    const paths = fc.constantFrom('/v1/search', '/v1/context', '/v1/ask')
    const property = fc.asyncProperty(
      fc.constantFrom(...both),
      scopes,
      paths,
      async (organization, scope, path) => {
        const { secret } = await organization.mint({ providers: scope })
        const { body } = await retrieve(service, secret, path)
        const items: { sourceItemId: string }[] = body.hits ?? body.context
        expect(items).toHaveLength(2 * (scope ?? PROVIDERS).length)
        for (const { sourceItemId } of items) {
          const owner = owners.get(sourceItemId)
          expect(owner?.organization).toBe(organization)
          expect(scope ?? PROVIDERS).toContain(owner?.provider)
        }
      },
    )
    await fc.assert(property, { numRuns: 25 })
  })
})

describe('a key with a provider scope', () => {
  const MARK = (provider: ProviderId) => `mark-of-${provider}`
  /** A different author per provider, for the canvas. */
  const AUTHORS: Record<ProviderId, string> = {
    slack: 'Mara Lindqvist',
    google_drive: 'Jonas Weber',
    notion: 'Ingrid Sorensen',
    gmail: 'Pavel Novotny',
  }
  let organization: TestOrganization
  /** A provider's resources, by the path parameter that could name them. */
  let owned: Record<
    ProviderId,
    { item: string; source: string; run: string; event: string; entity: string; author: string }
  >

  beforeAll(async () => {
    organization = await service.organization()
    const made: [ProviderId, (typeof owned)[ProviderId]][] = []
    for (const provider of PROVIDERS) made.push([provider, await fill(provider)])
    owned = Object.fromEntries(made) as typeof owned
  })

  /**
   * Stores an item, a source in error, a run with a failure, and events of each kind, all with the provider's marker
   * in every text.
   */
  async function fill(provider: ProviderId) {
    const { db } = service.database
    const mark = MARK(provider)
    const author = AUTHORS[provider]
    const source = organization.sources[provider]
    const document = documentOf(organization, {
      provider,
      externalId: mark,
      title: `${mark} title`,
      body: `${mark} paid time off`,
      url: `https://example.com/${mark}`,
      authorName: author,
      metadata: { team: mark },
    })
    await push(service, organization, document)
    const { id: item } = await db
      .selectFrom('source_items')
      .select('id')
      .where('organization_id', '=', organization.id)
      .where('external_id', '=', mark)
      .executeTakeFirstOrThrow()
    await db
      .updateTable('sources')
      .set({ display_name: mark, error_message: mark, status: 'error' })
      .where('id', '=', source)
      .execute()
    const run = randomUUID()
    const at = new Date()
    await db
      .insertInto('sync_runs')
      .values({
        organization_id: organization.id,
        id: run,
        source_id: source,
        status: 'failed',
        full_resync: false,
        error_message: mark,
        created_at: at,
        finished_at: at,
      })
      .execute()
    await db
      .insertInto('sync_run_failures')
      .values({
        organization_id: organization.id,
        run_id: run,
        external_id: mark,
        message: mark,
        created_at: at,
      })
      .execute()
    const key = organization.adminKey
    const filter = { providers: [provider] }
    await service.call('POST', '/v1/context', { key, body: { query: mark, filter } })
    if (provider === 'slack') {
      await service.call('PATCH', `/v1/sources/${source}`, { key, body: { channelAllowlist: ['CMARK'] } })
    }
    const { auditEvents } = (await service.call('GET', '/v1/audit-events?limit=1', { key })).body
    // Read now, so that no background work changes the database during the comparison.
    await service.app.readForCanvas()
    const nodes = await canvasNodes(service, key, { provider, entityType: 'person' })
    const entity = nodes.find(({ label }) => label === author)?.id
    if (entity === undefined) throw new Error(`the canvas has no author of ${provider}`)
    return { item, source, run, event: auditEvents[0].id, entity, author }
  }

  /** Calls of each agent route that names a resource by id in its path or body. */
  const naming = (ids: (typeof owned)[ProviderId], provider: ProviderId): [string, string, unknown?][] => [
    ['GET', `/v1/source-items/${ids.item}`],
    ['GET', `/v1/source-items/${ids.item}/readers`],
    ['GET', `/v1/memory-canvas/entities/${ids.entity}`],
    ['GET', `/v1/memory-canvas?around=${ids.entity}`],
    ['DELETE', `/v1/source-items/${ids.item}`],
    ['DELETE', `/v1/source-items?provider=${provider}&externalId=${MARK(provider)}`],
    ['GET', `/v1/sources/${ids.source}/channels`],
    ['PATCH', `/v1/sources/${ids.source}`, { channelAllowlist: null }],
    ['GET', `/v1/sync-runs/${ids.run}`],
    ['POST', '/v1/sync-runs', { connectorId: ids.source }],
    [
      'POST',
      '/v1/ingest',
      { documents: [documentOf(organization, { provider, connectorId: ids.source, externalId: 'new' })] },
    ],
  ]
  /** Routes that list, search or count. */
  const asking: [string, string, unknown?][] = [
    ['GET', '/v1/sources'],
    ['GET', '/v1/sync-runs'],
    ['GET', '/v1/audit-events?limit=500'],
    ['GET', '/v1/source-items?limit=200'],
    ['GET', '/v1/memory-canvas?limit=500'],
    ...['/v1/search', '/v1/context', '/v1/ask'].map((path): [string, string, unknown] => [
      'POST',
      path,
      { query: 'mark paid time off', limit: 25 },
    ]),
  ]
  /** Routes that concern keys and people instead of providers' data, or that refuse such a key (KEY-19). */
  const OF_NO_PROVIDER = new Set([
    'listApiKeys',
    'createApiKey',
    'revokeApiKey',
    'listGroups',
    'getGroup',
    'putGroup',
    'deleteGroup',
  ])

  it('is tested on every agent route that reads or changes something [KEY-20]', () => {
    const some = naming(
      { item: 'ID', source: 'ID', run: 'ID', event: 'ID', entity: 'ID', author: 'ID' },
      'slack',
    )
    const tried = new Set(
      [...some, ...asking].map(
        ([method, path]) => `${method} ${path.split('?', 1)[0]?.replace('ID', '{id}')}`,
      ),
    )
    const untried = routes.filter(
      ({ access, method, path, operationId }) =>
        access.surface === 'agent' &&
        access.reach === undefined &&
        !OF_NO_PROVIDER.has(operationId) &&
        !tried.has(`${method} ${path}`),
    )
    expect(untried.map(({ operationId }) => operationId)).toEqual([])
  })

  it('gets the same 404 for a resource out of scope as for a missing one, and changes nothing [KEY-20, SEA-9]', async () => {
    const missing = {
      item: randomUUID(),
      source: randomUUID(),
      run: randomUUID(),
      event: randomUUID(),
      entity: randomUUID(),
      author: 'Nobody',
    }
    const property = fc.asyncProperty(
      fc.subarray([...PROVIDERS], { minLength: 1, maxLength: 3 }),
      async (scope) => {
        const { secret: key } = await organization.mint({ providers: scope })
        const before = await databaseContents(service.database.db)
        for (const provider of PROVIDERS.filter((one) => !scope.includes(one))) {
          const there = naming(owned[provider], provider)
          const notThere = naming(missing, provider)
          for (const [at, [method, path, body]] of there.entries()) {
            const [, missingPath = '', missingBody] = notThere[at] ?? []
            const refused = await service.call(method, path, { key, body })
            expect(refused.status, `${method} ${path} ${refused.text}`).toBeGreaterThanOrEqual(404)
            const control = await service.call(method, missingPath.replace(MARK(provider), 'missing'), {
              key,
              body: missingBody,
            })
            expect([refused.status, refused.body]).toEqual([control.status, control.body])
          }
        }
        // Not even a lock or an undone deletion: they would leave their transaction's number in the rows.
        expect(await touched()).toEqual(untouched)
        expect(await databaseContents(service.database.db)).toEqual(before)
      },
    )
    const untouched = await touched()
    await fc.assert(property, { numRuns: 6 })
  })

  it('gets nothing out of scope from any list, search or count [KEY-20, SEA-4, SRC-10]', async () => {
    const property = fc.asyncProperty(
      fc.subarray([...PROVIDERS], { minLength: 1, maxLength: 3 }),
      async (scope) => {
        const { secret: key } = await organization.mint({ providers: scope })
        for (const [method, path, body] of asking) {
          const { status, text } = await service.call(method, path, { key, body })
          expect(status, `${path} ${text}`).toBe(200)
          for (const provider of PROVIDERS) {
            const isIn = scope.includes(provider)
            const named = [MARK(provider), ...Object.values(owned[provider])].filter((one) =>
              text.includes(one),
            )
            if (isIn) expect(named, `${path} of ${provider}`).not.toEqual([])
            else expect(named, `${path} of ${provider}`).toEqual([])
          }
        }
      },
    )
    await fc.assert(property, { numRuns: 6 })
  })

  /** The last transaction that locked, changed or tried to delete each row. */
  async function touched(): Promise<unknown[]> {
    const { rows } = await sql`
      select id, xmax::text as xmax from source_items where organization_id = ${organization.id}
      union all select id, xmax::text from sources where organization_id = ${organization.id}
      order by 1`.execute(service.database.db)
    return rows
  }
})

describe('vectors of two embedding models', () => {
  it('are never mixed: a service that cannot load the stored model refuses [SEA-8]', async () => {
    const organization = await service.organization()
    await push(service, organization, documentOf(organization))
    const other = await startTestService({
      database: service.database,
      embeddingModel: hashEmbeddingModel({ id: 'hash-2' }),
    })
    try {
      for (const path of ['/v1/search', '/v1/context', '/v1/ask']) {
        expect(await retrieve(other, organization.adminKey, path)).toMatchObject({
          status: 409,
          body: { code: 'embedding_model_mismatch' },
        })
      }
      expect((await retrieve(service, organization.adminKey)).body.hits).toHaveLength(1)
    } finally {
      await other.close()
    }
  })

  it('are never mixed: a service that can load it answers with it, and says so [SEA-8, CTX-11]', async () => {
    const builtin = await startTestService({
      database: service.database,
      embeddingModel: await createEmbeddingModel({ provider: 'builtin' }),
    })
    try {
      const organization = await service.organization()
      await push(builtin, organization, documentOf(organization))
      const stored = await retrieve(builtin, organization.adminKey, '/v1/context')
      expect(stored.body.limitations).toEqual([])
      const { hits, limitations } = (await retrieve(service, organization.adminKey, '/v1/context')).body
      expect(hits).toEqual(stored.body.hits)
      expect(limitations).toMatchObject([{ code: 'embedding_fallback' }])
    } finally {
      await builtin.close()
    }
  })
})
