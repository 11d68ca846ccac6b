import { createHash } from 'node:crypto'
import type { KyselyPlugin } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { documentOf, push } from '../../test/support/documents.ts'
import { hashEmbeddingModel } from '../../test/support/hash-embedding-model.ts'
import { interruptedDownload } from '../../test/support/interrupted-download.ts'
import {
  type Answer,
  startTestService,
  type TestOrganization,
  type TestService,
} from '../../test/support/service.ts'
import { Readable, type Viewer } from '../kernel/viewer.ts'
import { exportItems } from './export-items.ts'

interface Chunk {
  heading: string | null
  content: string
  vector: string | null
}

interface Item {
  id: string
  connectorId: string
  externalId: string
  metadata: Record<string, unknown>
  chunks: Chunk[]
}

const model = hashEmbeddingModel()
const policy = { visibility: 'restricted', users: ['ada@example.com'], groups: ['legal'], deny: [] }
let service: TestService
let acme: TestOrganization

beforeAll(async () => {
  service = await startTestService({ embeddingModel: model })
  acme = await service.organization()
  const long = Array.from({ length: 40 }, (_, n) => `# Part ${n}\n\n${`common word${n} `.repeat(120)}`).join(
    '\n\n',
  )
  const pushed = await push(
    service,
    acme,
    documentOf(acme, {
      url: 'https://example.com/pto',
      authorName: 'Ada',
      metadata: { accessPolicy: policy, a: { b: [1] } },
    }),
    documentOf(acme, {
      externalId: 'long',
      title: 'Long',
      body: long,
      sourceUpdatedAt: '2026-01-02T03:04:05.678Z',
    }),
    documentOf(acme, {
      externalId: 'empty',
      title: 'Only a title',
      body: '',
      provider: 'slack',
      sourceKind: 'message',
    }),
  )
  if (pushed.status !== 200) throw new Error(pushed.text)
})
afterAll(async () => {
  await service.close()
})

const exportOf = (key: string, body?: object): Promise<Answer> =>
  service.call('POST', '/v1/export', { key, ...(body === undefined ? {} : { body }) })

async function linesOf(key: string, body?: object): Promise<unknown[]> {
  const { status, text, headers } = await exportOf(key, body)
  expect(status, text).toBe(200)
  expect(headers.get('content-type')).toBe('application/x-ndjson')
  return text
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line))
}

async function itemsOf(key: string, body?: object): Promise<Item[]> {
  return (await linesOf(key, body)).filter(
    (line): line is Item => typeof line === 'object' && line !== null && 'chunks' in line,
  )
}

/** An item as a document of another workspace, with its vectors. */
function documentFrom(item: Item, to: TestOrganization, from = acme): Record<string, unknown> {
  const { id: _, chunks, connectorId, ...document } = item
  const provider = Object.entries(from.sources).find(([, source]) => source === connectorId)?.[0]
  const target = Object.entries(to.sources).find(([name]) => name === provider)?.[1]
  return { ...document, connectorId: target, embedding: embeddingOf(chunks) }
}

function embeddingOf(chunks: Chunk[]) {
  const texts = JSON.stringify(chunks.map(({ heading, content }) => [heading, content]))
  const bytes = Buffer.concat(chunks.map(({ vector }) => Buffer.from(vector ?? '', 'base64')))
  return {
    model: model.id,
    chunksSha256: createHash('sha256').update(texts).digest('hex'),
    vectors: bytes.toString('base64'),
  }
}

/** The items of an export, without their ids. */
const contentOf = (items: readonly Item[]): unknown[] =>
  items
    .map((item) => Object.assign({ ...item }, { id: '', connectorId: '' }))
    .toSorted((a, b) => (a.externalId < b.externalId ? -1 : 1))

const interrupted = (key: string, body: object, act: () => Promise<void>): Promise<string> =>
  interruptedDownload(
    `${service.url}/v1/export`,
    {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    },
    act,
  )

describe('a long export', () => {
  const bodies = 30
  let large: TestOrganization
  beforeAll(async () => {
    large = await service.organization()
    const accessPolicy = { visibility: 'restricted', groups: ['staff'] }
    for (let number = 0; number < bodies; number += 1) {
      const body = `word${number} `.repeat(25_000)
      const document = { externalId: `large-${number}`, body, metadata: { accessPolicy } }
      const { status, text } = await push(service, large, documentOf(large, document))
      if (status !== 200) throw new Error(text)
    }
  }, 60_000)

  it('ends, incomplete, once its key is revoked', async () => {
    const { id, secret } = await large.mint({ actions: ['admin'] })
    const revoke = async () => {
      expect((await service.call('DELETE', `/v1/api-keys/${id}`, { key: large.adminKey })).status).toBe(200)
    }
    expect(await interrupted(secret, {}, revoke)).toMatch(/terminated/)
  })

  it('omits the rest once the person may not read it', async () => {
    const staff = (members: string[]) =>
      service.call('PUT', '/v1/groups/staff', { key: large.adminKey, body: { members } })
    expect((await staff(['ada@example.com'])).status).toBe(200)
    const rest = await interrupted(large.adminKey, { onBehalfOf: { email: 'ada@example.com' } }, async () => {
      expect((await staff([])).status).toBe(200)
    })
    expect(rest.endsWith('{"end":true}\n')).toBe(true)
    expect(rest.split('"externalId":"large-').length).toBeLessThan(bodies)
  })
})

describe('an export', () => {
  it('has a header, every item with its policy and vectors, and an end', async () => {
    const lines = await linesOf(acme.adminKey)
    expect(lines.at(0)).toMatchObject({ format: 'retrieval-memory', version: 1, model: model.id })
    expect(lines.at(-1)).toEqual({ end: true })
    const items = await itemsOf(acme.adminKey)
    expect(items.map(({ externalId }) => externalId).toSorted()).toEqual(['empty', 'long', 'pto'])
    for (const { chunks } of items)
      for (const { vector } of chunks)
        expect(Buffer.from(vector ?? '', 'base64')).toHaveLength(2 * model.dimensions)
    expect(items.find(({ externalId }) => externalId === 'pto')).toMatchObject({
      connectorId: acme.sources.notion,
      url: 'https://example.com/pto',
      metadata: { accessPolicy: policy, a: { b: [1] } },
    })
  })

  it('is imported into another workspace unchanged, without embedding anything', async () => {
    const target = await service.organization()
    const items = await itemsOf(acme.adminKey)
    const before = model.calls.documents
    const documents = items.map((item) => documentFrom(item, target))
    expect((await push(service, target, ...documents)).text).toBe('{"ingested":3,"skipped":0}')
    expect(contentOf(await itemsOf(target.adminKey))).toEqual(contentOf(items))
    expect((await push(service, target, ...documents)).text).toBe('{"ingested":0,"skipped":3}')
    expect(model.calls.documents).toBe(before)
    const find = async ({ adminKey }: TestOrganization) => {
      const { body } = await service.call('POST', '/v1/search', {
        key: adminKey,
        body: { query: 'paid days off word7' },
      })
      return body.hits.map(({ title, content, score }: Record<string, unknown>) => ({
        title,
        content,
        score,
      }))
    }
    expect(await find(target)).toEqual(await find(acme))
    const readers = await service.call('POST', '/v1/search', {
      key: target.adminKey,
      body: { query: 'paid days off', onBehalfOf: { email: 'ada@example.com' } },
    })
    expect(readers.body.hits.map(({ title }: { title: string }) => title)).toEqual(['PTO policy'])
  })

  it('continues after an item', async () => {
    const items = await itemsOf(acme.adminKey)
    expect(await itemsOf(acme.adminKey, { after: items[0]?.id })).toEqual(items.slice(1))
    expect(await itemsOf(acme.adminKey, { after: items[2]?.id })).toEqual([])
  })

  it('continues when what it was about to read is deleted, so that its end means that it is complete', async () => {
    const organization = await service.organization()
    const { db } = service.database
    // Each fills a read.
    const body = 'word '.repeat(110_000)
    for (const externalId of ['a', 'b', 'c'])
      expect((await push(service, organization, documentOf(organization, { externalId, body }))).status).toBe(
        200,
      )
    let places = 0
    const deleting: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        const [first] = result.rows
        if (first !== undefined && 'bytes' in first && ++places === 2)
          await db.deleteFrom('source_items').where('id', '=', String(first['id'])).execute()
        return result
      },
    }
    const viewer: Viewer = {
      kind: 'agent',
      organizationId: organization.id,
      apiKeyId: organization.adminKeyId,
      actorType: 'agent',
      allowedActions: ['admin'],
      allowedProviders: null,
      requiresUser: false,
      readable: Readable.everything,
    }
    const lines = await exportItems(
      {
        db: db.withPlugin(deleting),
        clock: { now: () => new Date() },
        admit: ({ run }) => run(),
        viewAgain: async () => viewer,
      },
      viewer,
      undefined,
    )
    const all = await Array.fromAsync(lines, (line): Partial<Item> => JSON.parse(line))
    const ids = await itemsOf(organization.adminKey)
    expect(all.flatMap(({ id }) => id ?? [])).toEqual(ids.map(({ id }) => id))
    expect(ids).toHaveLength(2)
  })

  it('has nothing of another workspace', async () => {
    const other = await service.organization()
    expect(await itemsOf(other.adminKey)).toEqual([])
    expect((await exportOf(other.adminKey)).text).not.toContain(acme.sources.notion)
  })

  it('is for keys with admin and without a scope; one that requires a person gets what that person may read', async () => {
    const scoped = await acme.mint({ providers: ['notion'] })
    expect((await exportOf(scoped.secret)).body).toMatchObject({ code: 'provider_not_allowed' })
    const bound = await acme.mint({ requiresUser: true })
    expect((await exportOf(bound.secret)).body).toMatchObject({ code: 'user_required' })
    const asAda = await itemsOf(bound.secret, { onBehalfOf: { email: 'ada@example.com' } })
    expect(asAda.map(({ externalId }) => externalId)).toEqual(['pto'])
  })

  it('is audited', async () => {
    const organization = await service.organization()
    await exportOf(organization.adminKey)
    const { body } = await service.call('GET', '/v1/audit-events', { key: organization.adminKey })
    expect(body.auditEvents[0]).toMatchObject({
      action: 'organization.export',
      targetId: organization.id,
      actorApiKeyId: organization.adminKeyId,
      metadata: {},
    })
  })

  it("does not widen the readers of a synced item: its source's people become a group without members", async () => {
    const organization = await service.organization()
    const of = (externalId: string, accessPolicy: unknown) =>
      documentOf(organization, {
        provider: 'slack',
        sourceKind: 'message',
        externalId,
        metadata: { accessPolicy },
      })
    const everyone = { visibility: 'workspace', deny: ['bob@example.com'] }
    const { db } = service.database
    await push(service, organization, of('synced', everyone), of('pushed', everyone), of('named', policy))
    const items = await itemsOf(organization.adminKey)
    for (const { id, externalId } of items.filter((item) => item.externalId !== 'pushed'))
      await db
        .insertInto('synced_items')
        .values({
          organization_id: organization.id,
          source_id: organization.sources.slack,
          external_id: externalId,
          source_item_id: id,
          has_policy: true,
        })
        .execute()
    const policies = (await itemsOf(organization.adminKey)).map((item) => [
      item.externalId,
      item.metadata['accessPolicy'],
    ])
    expect(Object.fromEntries(policies)).toEqual({
      pushed: everyone,
      named: policy,
      synced: { visibility: 'restricted', groups: [organization.sources.slack], deny: ['bob@example.com'] },
    })
  })
})

describe('vectors of an ingest', () => {
  let target: TestOrganization
  let embedding: ReturnType<typeof embeddingOf>
  beforeAll(async () => {
    target = await service.organization()
    const item = (await itemsOf(acme.adminKey)).find(({ externalId }) => externalId === 'pto')
    embedding = embeddingOf(item?.chunks ?? [])
  })
  const send = (given: unknown, key = target.adminKey): Promise<Answer> =>
    service.call('POST', '/v1/ingest', {
      key,
      body: {
        documents: [documentOf(target, { externalId: 'other' }), documentOf(target, { embedding: given })],
      },
    })
  const floats = (values: ArrayLike<number>): string =>
    Buffer.from(Float16Array.from(values).buffer).toString('base64')

  it('need a key with admin', async () => {
    const { secret } = await target.mint({ actions: ['ingest'] })
    const answer = await send(embedding, secret)
    expect(answer).toMatchObject({ status: 403, body: { code: 'action_not_allowed', index: 1 } })
  })

  it.each([
    [
      'another model',
      'model',
      () => ({ ...embedding, model: 'hash-2' }),
      /must be the workspace's: "hash-1"/,
    ],
    [
      'other chunks',
      'chunksSha256',
      () => ({ ...embedding, chunksSha256: '0'.repeat(64) }),
      /does not match the chunks/,
    ],
    ['a hash that is none', 'chunksSha256', () => ({ ...embedding, chunksSha256: 'x' }), /SHA-256/],
    [
      'too few numbers',
      'vectors',
      () => ({ ...embedding, vectors: floats([1, 0]) }),
      /1 vectors of 64 numbers/,
    ],
    ['no numbers', 'vectors', () => ({ ...embedding, vectors: '' }), /1 vectors of 64 numbers/],
    ['half a number', 'vectors', () => ({ ...embedding, vectors: 'AA==' }), /base64/],
    ['no base64', 'vectors', () => ({ ...embedding, vectors: '\u0000!' }), /base64/],
    ['NaN', 'vectors', () => ({ ...embedding, vectors: floats(Array(64).fill(Number.NaN)) }), /finite/],
    ['infinity', 'vectors', () => ({ ...embedding, vectors: floats(Array(64).fill(1e9)) }), /finite/],
    ['zero', 'vectors', () => ({ ...embedding, vectors: floats(Array(64).fill(0)) }), /length 1/],
    [
      'great length',
      'vectors',
      () => ({ ...embedding, vectors: floats(Array(64).fill(65_504)) }),
      /length 1/,
    ],
    ['an unknown field', '', () => ({ ...embedding, chunks: [] }), /chunks/],
  ])('of %s are refused with the document and the field', async (_name, field, given, message) => {
    const { status, body } = await send(given())
    expect(status).toBe(400)
    expect(body.code).toBe('validation_failed')
    expect(body.issues[0].path).toMatch(new RegExp(`^documents\\.1\\.embedding\\.?${field}`))
    expect(body.error).toMatch(message)
    expect(await itemsOf(target.adminKey)).toEqual([])
  })

  it('are taken beside documents without', async () => {
    const before = model.calls.documents
    expect((await send(embedding)).text).toBe('{"ingested":2,"skipped":0}')
    expect(model.calls.documents).toBe(before + 1)
    const { body } = await service.call('GET', '/v1/audit-events', { key: target.adminKey })
    const ingest = body.auditEvents.find(({ action }: { action: string }) => action === 'source_item.ingest')
    expect(ingest.metadata).toEqual({ documents: 2, ingested: 2, skipped: 0, withVectors: 1 })
  })
})
