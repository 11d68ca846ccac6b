import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AskEvent, type IngestDocument, Memory, MemoryError } from '../../client/src/index.ts'
import { PROVIDERS } from '../../src/providers/index.ts'
import { startTestService, type TestOrganization, type TestService } from '../support/service.ts'

let service: TestService
let organization: TestOrganization
let memory: Memory

beforeAll(async () => {
  service = await startTestService()
  organization = await service.organization()
  memory = new Memory({ apiKey: organization.adminKey, url: service.url })
})
afterAll(() => service.close())

const page = (n: number, body = `Page ${n} tells of subject number ${n}.`): IngestDocument => ({
  connectorId: organization.sources.notion,
  provider: 'notion',
  sourceKind: 'document',
  externalId: `page-${n}`,
  title: `Page ${n}`,
  body,
})

// In this order: each test uses what the previous one stored.
describe('a program with the client', () => {
  it('stores more documents than a request holds, and gets errors only for faulty ones', async () => {
    const documents = Array.from({ length: 25 }, (_, n) => page(n))
    documents[7] = { ...page(7), url: 'javascript:alert(1)' }
    documents[11] = { ...page(11), provider: 'slack' }
    const refused: string[] = []
    const options = {
      documentsPerRequest: 10,
      onRefused: (document: IngestDocument) => refused.push(document.externalId),
    }
    expect(await memory.ingest(documents, options)).toMatchObject({ ingested: 23, skipped: 0, refused: 2 })
    expect(refused).toEqual(['page-7', 'page-11'])
    expect(await memory.ingest([page(0), page(1, 'Changed.')])).toMatchObject({ ingested: 1, skipped: 1 })
  })

  it('searches, retrieves and asks, with and without streaming', async () => {
    const { hits } = await memory.search({ query: 'subject number 3', limit: 2, rank: 'hybrid' })
    expect(hits[0]).toMatchObject({ title: 'Page 3', provider: 'notion' })
    const { contract, citations } = await memory.context({ query: 'subject number 3', rank: 'hybrid' })
    expect(contract).toMatchObject({ version: '1.0', endpoint: '/v1/context' })
    expect(citations[0]?.sourceItemId).toBe(hits[0]?.sourceItemId)
    const answer = await memory.ask('What does page 3 tell of?')
    const events: AskEvent[] = await Array.fromAsync(memory.askStream('What does page 3 tell of?'))
    expect(events.at(-1)).toEqual({ type: 'done', answer })
    expect(events.map((event) => (event.type === 'delta' ? event.text : '')).join('')).toBe(answer.answer)
  })

  it('lists, shows and deletes stored items', async () => {
    const titles = (await Array.fromAsync(memory.sourceItems.list({ limit: 10 }))).map(({ title }) => title)
    expect(titles).toHaveLength(23)
    expect(new Set(titles).size).toBe(23)
    const [first] = await Array.fromAsync(memory.sourceItems.list({ provider: 'notion' }))
    const item = await memory.sourceItems.get(String(first?.id))
    expect(item).toMatchObject({ externalId: 'page-1', body: 'Changed.' })
    await memory.sourceItems.delete(item.id)
    await memory.sourceItems.delete({ provider: 'notion', externalId: 'page-2' })
    await expect(memory.sourceItems.get(item.id)).rejects.toMatchObject({ status: 404, code: 'not_found' })
  })

  it('manages keys, sources, runs, the canvas and the trail', async () => {
    const { apiKey, secret } = await memory.apiKeys.create({ name: 'Reader', allowedActions: ['search'] })
    const reader = new Memory({ apiKey: secret, url: service.url })
    await expect(reader.sources.list()).rejects.toMatchObject({ status: 403, code: 'action_not_allowed' })
    expect((await memory.apiKeys.list()).map(({ id }) => id)).toContain(apiKey.id)
    await memory.apiKeys.revoke(apiKey.id)
    await expect(reader.search('q')).rejects.toMatchObject({ status: 401, code: 'unauthenticated' })
    const sources = await memory.sources.list()
    expect(sources).toHaveLength(PROVIDERS.length)
    await expect(memory.syncRuns.start({ connectorId: organization.sources.slack })).rejects.toMatchObject({
      code: 'source_push_only',
    })
    expect(await memory.syncRuns.list({ limit: 10 })).toEqual([])
    expect(await Array.fromAsync(memory.syncRuns.pages())).toEqual([{ syncRuns: [] }])
    expect(await memory.memoryCanvas.get({ limit: 5 })).toMatchObject({ nodes: expect.any(Array) })
    expect(await memory.maintenance.reembedding()).toMatchObject({ status: 'idle' })
    const actions = (await memory.auditEvents.list({ limit: 10 })).map(({ action }) => action)
    expect(actions).toEqual(expect.arrayContaining(['api_key.create', 'api_key.revoke', 'context.retrieve']))
  })

  it("gets a request's errors by field, with the logged request id", async () => {
    const error: unknown = await memory.search({ query: '', limit: 26 }).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(MemoryError)
    expect(error).toMatchObject({
      code: 'validation_failed',
      requestId: expect.any(String),
      issues: [{ path: 'query' }, { path: 'limit' }],
    })
  })

  it("waits out the service's rate limit", async () => {
    const limited = await startTestService({ environment: { API_RATE_LIMIT_PER_MIN: '2' } })
    const { adminKey } = await limited.organization()
    const waits: number[] = []
    const stop = new Error('long enough')
    const sleep = async (milliseconds: number): Promise<void> => {
      waits.push(milliseconds)
      if (waits.length === 2) throw stop
    }
    const client = new Memory({ apiKey: adminKey, url: limited.url, retry: { sleep } })
    await client.sources.list()
    await client.sources.list()
    await expect(client.sources.list()).rejects.toBe(stop)
    for (const wait of waits) expect(wait).toBeGreaterThanOrEqual(1_000)
    await limited.close()
  })
})
