import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { hashEmbeddingModel } from '../../test/support/hash-embedding-model.ts'
import { insertOrganization, type TestOrganization } from '../../test/support/organizations.ts'
import { createRouteServer } from '../../test/support/route-server.ts'
import { createModelRegistry } from '../models/index.ts'
import type { AgentCaller } from '../kernel/caller.ts'
import { createFiles } from './files.ts'
import { createItems } from './items.ts'
import { createTextExtractor } from '../file-text/index.ts'
import { deleteRoutes, itemRoutes } from './index.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')

let database: TestDatabase
let server: FastifyInstance
let organization: TestOrganization
const model = hashEmbeddingModel()
const callers = new Map<string, AgentCaller>()
const clock = { at: NOW, now: (): Date => clock.at }
const extractor = createTextExtractor({ threads: 1 })

beforeAll(async () => {
  database = await createTestDatabase()
  const models = createModelRegistry({ configured: model, builtin: async () => model })
  const items = createItems({ db: database.db, models, clock })
  const files = createFiles({ db: database.db, items, extractor })
  server = await createRouteServer([...itemRoutes, ...deleteRoutes], { items, files }, callers)
})
afterAll(async () => {
  await server.close()
  await extractor.close()
  await database.close()
})
beforeEach(async () => {
  organization = await insertOrganization(database.db)
  callers.clear()
  callers.set('key', organization.caller())
  callers.set('notion-key', organization.caller(['notion']))
})

function document(values: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    connectorId: organization.sourceIds.notion,
    provider: 'notion',
    sourceKind: 'document',
    externalId: 'page-1',
    title: 'Holidays',
    body: 'Everybody gets thirty days of holidays a year.',
    ...values,
  }
}

async function call(method: 'GET' | 'POST' | 'DELETE', url: string, body?: unknown, key = 'key') {
  const response = await server.inject({
    method,
    url,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  return { status: response.statusCode, headers: response.headers, body: response.json() }
}

const ingest = (documents: unknown[], key = 'key') => call('POST', '/v1/ingest', { documents }, key)

interface Counts {
  items: number
  chunks: number
  vectors: number
  events: number
}

async function stored(): Promise<Counts> {
  const { rows } = await sql<Counts>`
    select (select count(*)::int from source_items where organization_id = ${organization.id}) as items,
      (select count(*)::int from chunks where organization_id = ${organization.id}) as chunks,
      (select count(*)::int from chunk_embeddings where organization_id = ${organization.id}) as vectors,
      (select count(*)::int from audit_events where organization_id = ${organization.id}) as events`.execute(
    database.db,
  )
  const [counts] = rows
  if (!counts) throw new Error('no counts came')
  return counts
}

async function onlyItem() {
  return await database.db
    .selectFrom('source_items')
    .selectAll()
    .where('organization_id', '=', organization.id)
    .executeTakeFirstOrThrow()
}

describe('POST /v1/ingest', () => {
  it('stores a document with its chunks, their vectors and one audit event of counts', async () => {
    const answer = await ingest([document()])
    expect(answer).toMatchObject({ status: 200, body: { ingested: 1, skipped: 0 } })
    expect(await stored()).toEqual({ items: 1, chunks: 1, vectors: 1, events: 1 })
    const event = await database.db
      .selectFrom('audit_events')
      .selectAll()
      .where('organization_id', '=', organization.id)
      .executeTakeFirstOrThrow()
    expect(event).toMatchObject({
      action: 'source_item.ingest',
      target_id: answer.headers['x-request-id'],
      metadata: { documents: 1, ingested: 1, skipped: 0 },
    })
  })

  it('keeps every field of a document', async () => {
    const times = {
      sourceCreatedAt: '2025-01-02T03:04:05.678Z',
      sourceUpdatedAt: '2025-02-03T04:05:06+02:00',
    }
    const metadata = {
      accessPolicy: { users: ['a@example.com'] },
      channel: 'general',
      deep: [{ a: [1, null] }],
    }
    await ingest([
      document({
        url: 'https://example.com/page',
        authorName: 'Ada',
        metadata,
        sourceKind: 'file',
        ...times,
      }),
    ])
    const { id } = await onlyItem()
    const { status, body } = await call('GET', `/v1/source-items/${id}`)
    expect(status).toBe(200)
    expect(body.sourceItem).toEqual({
      id,
      connectorId: organization.sourceIds.notion,
      provider: 'notion',
      sourceKind: 'file',
      externalId: 'page-1',
      title: 'Holidays',
      body: 'Everybody gets thirty days of holidays a year.',
      url: 'https://example.com/page',
      authorName: 'Ada',
      sourceCreatedAt: '2025-01-02T03:04:05.678Z',
      sourceUpdatedAt: '2025-02-03T02:05:06.000Z',
      metadata,
      syncedAt: NOW.toISOString(),
      createdAt: NOW.toISOString(),
      updatedAt: NOW.toISOString(),
    })
  })

  it('returns null for a missing url, author or dates, also if null was sent', async () => {
    await ingest([document({ url: null, authorName: null, sourceCreatedAt: null })])
    const { body } = await call('GET', `/v1/source-items/${(await onlyItem()).id}`)
    expect(body.sourceItem).toMatchObject({
      url: null,
      authorName: null,
      sourceCreatedAt: null,
      sourceUpdatedAt: null,
      metadata: {},
    })
  })

  it('skips identical content in any metadata order without embedding it, and updates only syncedAt', async () => {
    await ingest([document({ metadata: { a: 1, b: { c: 2, d: 3 } } })])
    const before = model.calls.documents
    clock.at = new Date(NOW.getTime() + 60_000)
    const answer = await ingest([document({ metadata: { b: { d: 3, c: 2 }, a: 1 } })])
    expect(await onlyItem()).toMatchObject({ synced_at: clock.at, updated_at: NOW })
    clock.at = NOW
    expect(answer.body).toEqual({ ingested: 0, skipped: 1 })
    expect(model.calls.documents).toBe(before)
    expect(await stored()).toMatchObject({ items: 1, chunks: 1, vectors: 1 })
  })

  it.each([
    ['title', { title: 'Leave' }],
    ['body', { body: 'Nobody gets any holidays.' }],
    ['url', { url: 'https://example.com/other' }],
    ['author', { authorName: 'Grace' }],
    ['creation date', { sourceCreatedAt: '2025-01-01T00:00:00Z' }],
    ['update date', { sourceUpdatedAt: '2025-01-01T00:00:00Z' }],
    ['metadata', { metadata: { accessPolicy: 'private' } }],
  ])('counts a changed %s as an update of the same item', async (_name, change) => {
    await ingest([document()])
    const { id } = await onlyItem()
    expect((await ingest([document(change)])).body).toEqual({ ingested: 1, skipped: 0 })
    expect((await onlyItem()).id).toBe(id)
    expect(await stored()).toMatchObject({ items: 1, chunks: 1, vectors: 1 })
  })

  it('replaces all chunks and vectors when a body shrinks or grows', async () => {
    const long = Array.from({ length: 900 }, (_, index) => `Word${index} follows.`).join(' ')
    await ingest([document({ body: long })])
    const many = await stored()
    expect(many.chunks).toBeGreaterThan(5)
    expect(many.vectors).toBe(many.chunks)
    await ingest([document({ body: 'Short now.' })])
    expect(await stored()).toMatchObject({ chunks: 1, vectors: 1 })
    await ingest([document({ body: long })])
    expect(await stored()).toMatchObject({ chunks: many.chunks, vectors: many.chunks })
  })

  it('keeps items of one externalId apart by provider', async () => {
    await ingest([document(), document({ provider: 'slack', connectorId: organization.sourceIds.slack })])
    expect(await stored()).toMatchObject({ items: 2 })
  })

  it('moves an item to the connector that posts it again, without a duplicate', async () => {
    await ingest([document()])
    const other = randomUUID()
    const source = await database.db
      .selectFrom('sources')
      .selectAll()
      .where('id', '=', organization.sourceIds.notion)
      .executeTakeFirstOrThrow()
    await database.db
      .insertInto('sources')
      .values({ ...source, policy_health: null, id: other })
      .execute()
    const before = model.calls.documents
    expect((await ingest([document({ connectorId: other })])).body).toEqual({ ingested: 1, skipped: 0 })
    expect(model.calls.documents).toBe(before)
    expect((await onlyItem()).source_id).toBe(other)
    expect((await ingest([document({ connectorId: other })])).body).toEqual({ ingested: 0, skipped: 1 })
  })

  it('cleans NUL and lone surrogates instead of rejecting the batch', async () => {
    const answer = await ingest([
      document({
        externalId: 'a\0b',
        title: 'Ti\0tle \ud800',
        body: 'Bo\0dy \udc00 text',
        authorName: 'A\0da',
        metadata: { 'k\0ey': ['v\0', '\ud800'] },
      }),
      document({ externalId: 'good' }),
    ])
    expect(answer).toMatchObject({ status: 200, body: { ingested: 2 } })
    const item = await database.db
      .selectFrom('source_items')
      .selectAll()
      .where('organization_id', '=', organization.id)
      .where('external_id', '=', 'ab')
      .executeTakeFirstOrThrow()
    expect(item).toMatchObject({
      title: 'Title \ufffd',
      body: 'Body \ufffd text',
      author_name: 'Ada',
      metadata: { key: ['v', '\ufffd'] },
    })
    expect((await ingest([document({ externalId: 'good' })])).body).toEqual({ ingested: 0, skipped: 1 })
  })

  it('accepts an invisible document, which no search finds', async () => {
    expect((await ingest([document({ title: '\u200b', body: '\u200b' })])).status).toBe(200)
    expect(await stored()).toMatchObject({ items: 1, chunks: 0, vectors: 0 })
  })

  it('accepts a thousand documents of any script in one request', async () => {
    const documents = Array.from({ length: 1_000 }, (_, index) =>
      document({
        externalId: `page-${index}`,
        body: `Größe ${index} 日本語の文章。 "quoted" \\ back 🙂 \u2028`,
      }),
    )
    expect((await ingest(documents)).body).toEqual({ ingested: 1_000, skipped: 0 })
    expect(await stored()).toMatchObject({ items: 1_000, vectors: 1_000 })
    const { body } = await onlyItem()
    expect(body).toMatch(/^Größe \d+ 日本語の文章。 "quoted" \\ back 🙂 \u2028$/u)
  })
})

describe('a POST /v1/ingest that is refused stores nothing', () => {
  const deep = (levels: number): unknown => (levels === 0 ? 1 : { a: deep(levels - 1) })

  it.each<[string, () => Record<string, unknown>, RegExp]>([
    ['an unknown field', () => document({ colour: 'red' }), /colour/],
    ['a missing title', () => document({ title: undefined }), /documents\.1\.title/],
    ['a provider that does not exist', () => document({ provider: 'dropbox' }), /documents\.1\.provider/],
    ['a sourceKind that does not exist', () => document({ sourceKind: 'page' }), /documents\.1\.sourceKind/],
    ['an empty externalId', () => document({ externalId: '' }), /documents\.1\.externalId/],
    ['an externalId of NULs alone', () => document({ externalId: '\0\0' }), /documents\.1\.externalId/],
    ['an externalId too long', () => document({ externalId: 'x'.repeat(2_049) }), /2048 bytes/],
    ['a body over 1 MiB', () => document({ body: 'é'.repeat(524_289) }), /1048576 bytes \(1 MiB\)/],
    ['a title too long', () => document({ title: 'x'.repeat(1_001) }), /documents\.1\.title/],
    ['a relative url', () => document({ url: '/page' }), /absolute URL/],
    ...[
      'javascript:alert(1)',
      'vbscript:x',
      'data:,x',
      'file:///etc/passwd',
      'blob:https://x.example/1',
      'about:blank',
      'view-source:https://x.example',
      'Java\nScript:alert(1)',
    ].map((url): [string, () => Record<string, unknown>, RegExp] => [
      `the url ${JSON.stringify(url)} [ING-17]`,
      () => document({ url }),
      /documents\.1\.url.*absolute URL, but not a javascript/,
    ]),
    [
      'a date that does not exist',
      () => document({ sourceCreatedAt: '2025-02-30T00:00:00Z' }),
      /sourceCreatedAt/,
    ],
    ['a date out of range', () => document({ sourceUpdatedAt: '0000-01-01T00:00:00Z' }), /years 1 to 9999/],
    ['metadata that is a list', () => document({ metadata: [] }), /documents\.1\.metadata/],
    ['metadata too large', () => document({ metadata: { a: 'x'.repeat(70_000) } }), /65536 bytes/],
    ['metadata too deep', () => document({ metadata: { a: deep(17) } }), /deeper than 16/],
    ['a connectorId that is none', () => document({ connectorId: 'mine' }), /documents\.1\.connectorId/],
  ])('%s: 400 that names the entry', async (_name, bad, words) => {
    const answer = await ingest([document({ externalId: 'good' }), bad()])
    expect(answer.status).toBe(400)
    expect(answer.body.code).toBe('validation_failed')
    expect(JSON.stringify(answer.body.issues)).toMatch(words)
    expect(JSON.stringify(answer.body.issues)).toMatch(/documents\.1/)
    expect(await stored()).toEqual({ items: 0, chunks: 0, vectors: 0, events: 0 })
  })

  it('more than 1,000 documents: 400 that names the limit', async () => {
    const answer = await ingest(Array.from({ length: 1_001 }, (_, n) => document({ externalId: `p${n}` })))
    expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
    expect(answer.body.error).toMatch(/at most 1000 documents/)
  })

  it('no document: 400', async () => {
    expect(await ingest([])).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
  })

  it('more than 10 MiB: 413 that names the limit', async () => {
    const answer = await ingest(
      Array.from({ length: 11 }, (_, n) => document({ externalId: `p${n}`, body: 'x'.repeat(1_000_000) })),
    )
    expect(answer).toMatchObject({ status: 413, body: { code: 'body_too_large', limitBytes: 10_485_760 } })
  })

  it('one key twice: 400 that names both entries, also if they differ only in NULs', async () => {
    const answer = await ingest([document({ externalId: 'a' }), document(), document({ externalId: 'a\0' })])
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'duplicate_document', index: 2, firstIndex: 0 },
    })
    expect(await stored()).toMatchObject({ items: 0, events: 0 })
  })

  it('a connector of another provider: 400 provider_mismatch', async () => {
    const answer = await ingest([document(), document({ provider: 'gmail', externalId: 'b' })])
    expect(answer).toMatchObject({ status: 400, body: { code: 'provider_mismatch', index: 1 } })
    expect(await stored()).toMatchObject({ items: 0, events: 0 })
  })

  it('a connector of another organization, out of scope, or missing: the same 404', async () => {
    const other = await insertOrganization(database.db)
    const answers = [
      await ingest([document({ connectorId: other.sourceIds.notion })]),
      await ingest([document({ connectorId: randomUUID() })]),
      await ingest(
        [document({ connectorId: organization.sourceIds.slack, provider: 'slack' })],
        'notion-key',
      ),
    ]
    for (const { status, body } of answers) {
      expect(status).toBe(404)
      expect(body).toEqual(answers[0]?.body)
    }
    expect(await stored()).toMatchObject({ items: 0, events: 0 })
  })
})

describe('GET and DELETE /v1/source-items', () => {
  const missing = { error: 'There is no such source item', code: 'not_found' }

  it('deletes an item by id with its chunks and vectors, and audits it without content', async () => {
    await ingest([document()])
    const { id } = await onlyItem()
    const answer = await call('DELETE', `/v1/source-items/${id}`)
    expect(answer).toMatchObject({
      status: 200,
      body: { sourceItem: { id, provider: 'notion', externalId: 'page-1' }, deletedAt: NOW.toISOString() },
    })
    expect(await stored()).toEqual({ items: 0, chunks: 0, vectors: 0, events: 2 })
    const events = await database.db
      .selectFrom('audit_events')
      .selectAll()
      .where('organization_id', '=', organization.id)
      .where('action', '=', 'source_item.delete')
      .execute()
    expect(events).toMatchObject([
      { target_type: 'source_item', target_id: id, metadata: { provider: 'notion', externalId: 'page-1' } },
    ])
    expect(await call('GET', `/v1/source-items/${id}`)).toMatchObject({ status: 404, body: missing })
    expect(await call('DELETE', `/v1/source-items/${id}`)).toMatchObject({ status: 404, body: missing })
  })

  it('deletes an item by provider and externalId as sent', async () => {
    await ingest([document({ externalId: 'a/b ?&\0ü' })])
    const path = `/v1/source-items?provider=notion&externalId=${encodeURIComponent('a/b ?&\0ü')}`
    expect(await call('DELETE', path)).toMatchObject({ status: 200 })
    expect(await stored()).toMatchObject({ items: 0, vectors: 0 })
    expect(await call('DELETE', path)).toMatchObject({ status: 404, body: missing })
  })

  it('answers for an item of another organization or out of scope as for a missing one, and keeps it', async () => {
    await ingest([document({ provider: 'slack', connectorId: organization.sourceIds.slack })])
    const { id } = await onlyItem()
    const stranger = await insertOrganization(database.db)
    callers.set('stranger', stranger.caller())
    for (const key of ['notion-key', 'stranger']) {
      for (const path of [`/v1/source-items/${id}`, `/v1/source-items/${randomUUID()}`]) {
        expect(await call('GET', path, undefined, key)).toMatchObject({ status: 404, body: missing })
        expect(await call('DELETE', path, undefined, key)).toMatchObject({ status: 404, body: missing })
      }
      const byKey = '/v1/source-items?provider=slack&externalId=page-1'
      expect(await call('DELETE', byKey, undefined, key)).toMatchObject({ status: 404, body: missing })
    }
    expect(await stored()).toMatchObject({ items: 1, vectors: 1, events: 1 })
  })

  it('refuses a delete by an incomplete key', async () => {
    expect(await call('DELETE', '/v1/source-items?provider=notion')).toMatchObject({ status: 400 })
    expect(await call('DELETE', '/v1/source-items?provider=notion&externalId=')).toMatchObject({
      status: 400,
    })
    expect(await call('GET', '/v1/source-items/none')).toMatchObject({ status: 404 })
  })
})
