import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { type Answer, startTestService, type TestOrganization, type TestService } from '../support/service.ts'

/*
 * A process answers from its caches without querying the database. These requests follow a change made in any
 * process, and their answers must reflect it.
 */

const ASKED = 'apple bridge candle'
const KINDS = [
  { path: '/v1/search', body: { query: ASKED, limit: 3 } },
  { path: '/v1/search', body: { query: ASKED, limit: 3, rank: 'hybrid' } },
  { path: '/v1/search', body: { query: ASKED, limit: 3, filter: { metadata: { team: 'people' } } } },
  { path: '/v1/context', body: { query: ASKED, limit: 3 } },
]

let database: TestDatabase
let services: TestService[]
const statements: string[] = []
let organization: TestOrganization

beforeAll(async () => {
  database = await createTestDatabase(({ query }) => void statements.push(query.sql))
  services = [await startTestService({ database }), await startTestService({ database })]
})
afterAll(async () => {
  for (const service of services) await service.close()
  await database.close()
})

const oneOf = (at: number): TestService => {
  const service = services[at]
  if (!service) throw new Error('there are two')
  return service
}

const documentOf = (externalId: string, body: string) => ({
  connectorId: organization.sources.notion,
  provider: 'notion',
  sourceKind: 'document',
  externalId,
  title: externalId,
  body,
  metadata: { team: 'people' },
})

async function ingest(at: number, ...documents: ReturnType<typeof documentOf>[]): Promise<void> {
  const answer = await oneOf(at).call('POST', '/v1/ingest', {
    key: organization.adminKey,
    body: { documents },
  })
  expect(answer.status).toBe(200)
}

const ask = (
  at: number,
  { path, body }: (typeof KINDS)[number],
  key = organization.adminKey,
): Promise<Answer> => oneOf(at).call('POST', path, { key, body })

/** The statements that read vectors or texts during `act`. */
async function readsOf(act: () => Promise<unknown>): Promise<string[]> {
  statements.length = 0
  await act()
  return statements.filter((text) => /chunk_embeddings|from chunks/.test(text))
}

/** Until both processes have cached everything these requests find. */
async function untilCached(): Promise<void> {
  for (const at of services.keys())
    for (const kind of KINDS)
      await expect.poll(() => readsOf(() => ask(at, kind)), { timeout: 20_000 }).toEqual([])
}

/** The results of both, for each kind of request in order; they must be equal. */
async function found(): Promise<string[]> {
  const titles: string[][] = []
  for (const at of services.keys())
    for (const kind of KINDS) {
      const answer = await ask(at, kind)
      expect(answer.status).toBe(200)
      titles.push(
        answer.body.hits.map((hit: { title: string; content: string }) => `${hit.title}: ${hit.content}`),
      )
    }
  const [first = []] = titles
  for (const others of titles) expect(others.toSorted()).toEqual(first.toSorted())
  return first
}

async function begin(): Promise<void> {
  organization = await oneOf(0).organization()
  await ingest(
    0,
    documentOf('one', 'apple bridge candle'),
    documentOf('two', 'apple bridge'),
    documentOf('far', 'zebra'),
  )
  await untilCached()
}

describe('a cached search', () => {
  it('shows what was stored since, only the new text of changed items, and nothing deleted', async () => {
    await begin()
    await ingest(1, documentOf('three', 'apple bridge candle and more'))
    expect((await found()).join()).toContain('three')
    await untilCached()
    await ingest(0, documentOf('one', 'apple bridge candle, said anew'))
    expect((await found()).filter((one) => one.startsWith('one'))).toEqual([
      'one: apple bridge candle, said anew',
    ])
    await untilCached()
    const deleted = await oneOf(1).call('DELETE', '/v1/source-items?provider=notion&externalId=two', {
      key: organization.adminKey,
    })
    expect(deleted.status).toBe(200)
    expect((await found()).join()).not.toContain('two')
  })

  it('shows a key only its own providers, and nothing to a revoked key', async () => {
    await begin()
    const { secret: slack } = await organization.mint({ providers: ['slack'] })
    const { secret: notion, id } = await organization.mint({ providers: ['notion'] })
    for (const at of services.keys())
      for (const kind of KINDS) {
        expect((await ask(at, kind, slack)).body.hits).toEqual([])
        expect((await ask(at, kind, notion)).body.hits).not.toEqual([])
      }
    await database.db.updateTable('api_keys').set({ revoked_at: new Date() }).where('id', '=', id).execute()
    for (const at of services.keys())
      for (const kind of KINDS) expect((await ask(at, kind, notion)).status).toBe(401)
  })

  it('counts in the window and costs a credit like any other', async () => {
    await begin()
    const paid = await oneOf(0).organization({ status: 'active', tier: 'builder', creditsIncluded: 9 })
    organization = paid
    await ingest(0, documentOf('one', 'apple bridge candle'))
    const statuses: number[] = []
    for (let time = 0; time < 12; time++)
      statuses.push((await ask(time % 2, { path: '/v1/search', body: { query: ASKED, limit: 3 } })).status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(9)
    expect(new Set(statuses.slice(9))).toEqual(new Set([429]))
  })
})
