import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { databaseContents } from '../support/database-contents.ts'
import { documentOf, push } from '../support/documents.ts'
import { type Answer, startTestService, type TestOrganization, type TestService } from '../support/service.ts'
import { aTime, aText } from '../support/shapes.ts'

let service: TestService
let organization: TestOrganization

beforeAll(async () => {
  service = await startTestService()
})
beforeEach(async () => {
  organization = await service.organization()
})
afterAll(() => service.close())

const document = (values: Parameters<typeof documentOf>[1] = {}) => documentOf(organization, values)
const ingest = (...documents: unknown[]): Promise<Answer> =>
  service.call('POST', '/v1/ingest', { key: organization.adminKey, body: { documents } })
const search = (query = 'paid time off', key = organization.adminKey): Promise<Answer> =>
  service.call('POST', '/v1/search', { key, body: { query } })

async function expectRefused(request: () => Promise<Answer>, answer: object): Promise<void> {
  const before = await databaseContents(service.database.db)
  expect(await request()).toMatchObject(answer)
  expect(await databaseContents(service.database.db)).toEqual(before)
}

describe('a document', () => {
  it.each(['connectorId', 'provider', 'sourceKind', 'externalId', 'title', 'body'])(
    'requires %s [ING-1]',
    async (field) => {
      await expectRefused(() => ingest(document({ [field]: undefined })), {
        status: 400,
        body: { code: 'validation_failed', issues: [{ path: `documents.0.${field}` }] },
      })
    },
  )

  it('defaults all other fields to null and {} [ING-2]', async () => {
    await ingest(document())
    const { sourceItemId } = (await search()).body.hits[0]
    const { body } = await service.call('GET', `/v1/source-items/${sourceItemId}`, {
      key: organization.adminKey,
    })
    expect(body.sourceItem).toMatchObject({
      url: null,
      authorName: null,
      sourceCreatedAt: null,
      sourceUpdatedAt: null,
      metadata: {},
      syncedAt: aTime,
    })
  })

  it.each(['', ' \n\t', '\u200b\u2060\ufeff', '\u0001\u0007'])(
    'whose body shows nothing (%j) is found by its title, which its hit shows [ING-18]',
    async (body) => {
      expect((await ingest(document({ title: 'Tea ceremony', body }))).body).toEqual({
        ingested: 1,
        skipped: 0,
      })
      const { hits } = (await search('tea ceremony')).body
      expect(hits).toMatchObject([{ title: 'Tea ceremony', content: 'Tea ceremony' }])
    },
  )

  it('is a message, a document or a file [ING-16]', async () => {
    const kinds = ['message', 'document', 'file']
    const documents = kinds.map((sourceKind) => document({ sourceKind, externalId: sourceKind }))
    expect((await ingest(...documents)).body).toEqual({ ingested: 3, skipped: 0 })
    await expectRefused(() => ingest(document({ sourceKind: 'page' })), { status: 400 })
  })

  it('can be found as soon as the call returns [ING-10]', async () => {
    for (let at = 0; at < 5; at++) {
      await ingest(document({ externalId: `now-${at}`, body: `Zebra${at} crossing.`, title: 'Now' }))
      expect((await search(`zebra${at}`)).body.hits[0].content).toBe(`Zebra${at} crossing.`)
    }
  })

  it('keeps any metadata, and returns its accessPolicy with hits [ING-11]', async () => {
    const metadata = { accessPolicy: ['group:a'], nested: { any: [1, null, 'x'] }, unknownField: true }
    await ingest(document({ metadata }))
    expect((await search()).body.hits[0].metadata).toEqual(metadata)
  })

  it('with NUL or lone surrogates is cleaned and stored [ING-15]', async () => {
    const dirty = document({
      title: 'Zeb\0ra \ud800',
      body: 'Cross\0ing \udfff here.',
      metadata: { 'a\0': '\ud800\0' },
    })
    expect(await ingest(dirty, document({ externalId: 'fine' }))).toMatchObject({
      status: 200,
      body: { ingested: 2 },
    })
    const [hit] = (await search('zebra crossing')).body.hits
    expect(hit).toMatchObject({
      title: 'Zebra \ufffd',
      content: 'Crossing \ufffd here.',
      metadata: { a: '\ufffd' },
    })
  })
})

describe('posting again', () => {
  it('updates changed documents and skips the others [ING-4, ING-5]', async () => {
    const two = [document({ externalId: 'a' }), document({ externalId: 'b' })]
    expect((await ingest(...two)).body).toEqual({ ingested: 2, skipped: 0 })
    const changed = document({ externalId: 'b', body: 'Zebra crossing.' })
    expect((await ingest(document({ externalId: 'a' }), changed)).body).toEqual({ ingested: 1, skipped: 1 })
    expect((await search('zebra')).body.hits).toHaveLength(1)
    expect((await search()).body.hits).toHaveLength(1)
  })

  it('matches by organization, provider and externalId [ING-4]', async () => {
    const other = await service.organization()
    const slack = document({ provider: 'slack' })
    expect((await ingest(document(), slack)).body).toEqual({ ingested: 2, skipped: 0 })
    expect((await push(service, other, documentOf(other))).body).toEqual({ ingested: 1, skipped: 0 })
    expect((await ingest(document(), slack)).body).toEqual({ ingested: 0, skipped: 2 })
  })
})

describe('a request', () => {
  it('has 1 to 1,000 documents [ING-3]', async () => {
    await expectRefused(() => ingest(), { status: 400 })
    const many = Array.from({ length: 1001 }, (_, at) => document({ externalId: String(at), body: 'x' }))
    await expectRefused(() => ingest(...many), {
      status: 400,
      body: { error: expect.stringContaining('1000') },
    })
    expect(await ingest(...many.slice(0, 1000))).toMatchObject({ status: 200, body: { ingested: 1000 } })
  })

  it('is atomic, and names the invalid entry [ING-6]', async () => {
    await expectRefused(() => ingest(document(), document({ externalId: '2', title: '' })), {
      status: 400,
      body: { issues: [{ path: 'documents.1.title' }] },
    })
  })

  it('cannot contain an item twice [ING-7, ING-6]', async () => {
    await expectRefused(() => ingest(document(), document({ body: 'Other.' })), {
      status: 400,
      body: { code: 'duplicate_document', index: 1 },
    })
  })

  it('can only name connectors of its organization [ING-8, ING-6, ERR-6]', async () => {
    const other = await service.organization()
    const bodies: unknown[] = []
    for (const connectorId of [randomUUID(), other.sources.notion]) {
      const wrong = document({ connectorId, externalId: '2' })
      await expectRefused(
        async () => {
          const answer = await ingest(document(), wrong)
          bodies.push(answer.body)
          return answer
        },
        { status: 404, body: { code: 'not_found', index: 1 } },
      )
    }
    expect(bodies[0]).toEqual(bodies[1])
  })

  it('can only name connectors of the same provider [ING-9, ING-6]', async () => {
    const wrong = document({ connectorId: organization.sources.slack, externalId: '2' })
    await expectRefused(() => ingest(document(), wrong), {
      status: 400,
      body: { code: 'provider_mismatch', index: 1 },
    })
  })

  it('has at most 1 MiB of text per body, and 10 MiB in all [ING-12, ING-13, ERR-8]', async () => {
    const mebibyte = 1024 * 1024
    await expectRefused(() => ingest(document({ body: 'x'.repeat(mebibyte + 1) })), {
      status: 400,
      body: { error: expect.stringContaining('1 MiB'), issues: [{ path: 'documents.0.body' }] },
    })
    await expectRefused(() => ingest(document({ body: 'x'.repeat(10 * mebibyte) })), {
      status: 413,
      body: { code: 'body_too_large', limitBytes: 10 * mebibyte, error: aText },
    })
  })
})

describe('a source item', () => {
  it('is removed by id, or by provider and externalId, with everything derived from it [ING-14]', async () => {
    const key = organization.adminKey
    for (const path of [
      async () => `/v1/source-items/${(await search()).body.hits[0].sourceItemId}`,
      async () => '/v1/source-items?provider=notion&externalId=pto',
    ]) {
      await ingest(document())
      const removed = await service.call('DELETE', await path(), { key })
      expect(removed).toMatchObject({
        status: 200,
        body: { sourceItem: { provider: 'notion', externalId: 'pto' }, deletedAt: aTime },
      })
      expect((await search()).body.hits).toEqual([])
      const { id } = removed.body.sourceItem
      expect((await service.call('GET', `/v1/source-items/${id}`, { key })).status).toBe(404)
      expect((await ingest(document())).body).toEqual({ ingested: 1, skipped: 0 })
    }
  })
})
