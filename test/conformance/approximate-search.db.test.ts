import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { workerUrls } from '../support/database-setup.ts'
import { hashEmbeddingModel } from '../support/hash-embedding-model.ts'
import { documentOf, push } from '../support/documents.ts'
import {
  type Answer,
  OPERATOR_TOKEN,
  startTestService,
  type TestOrganization,
  type TestService,
} from '../support/service.ts'
import { aText } from '../support/shapes.ts'
import { until } from '../support/until.ts'

/** More than exact search compares one by one. */
const CHUNKS = 10_500
const QUERY = 'paid time off'

/** Few dimensions, because there are many chunks. */
const embeddingModel = hashEmbeddingModel({ dimensions: 16 })
const isServer = process.env.TEST_DRIVER === 'postgres' && workerUrls().length === 0
let service: TestService
let organization: TestOrganization

beforeAll(async () => {
  service = await startTestService({ embeddingModel, environment: { SEARCH_MEMORY_MB: '0' } })
  organization = await service.organization()
  await push(service, organization, documentOf(organization, { body: QUERY }))
  if (isServer) await addChunks(organization)
})
afterAll(() => service.close())

const call = (route: string, body: object = { query: QUERY }): Promise<Answer> =>
  service.call('POST', `/v1/${route}`, { key: organization.adminKey, body })

const operate = (method: string, id = organization.id): Promise<Answer> =>
  service.call(method, `/operator/organizations/${id}/approximate-index`, { key: OPERATOR_TOKEN })

/** Inserts this many chunks in all directions with plain SQL, since their text does not matter. */
async function addChunks({ id, sources }: TestOrganization): Promise<void> {
  const { db } = service.database
  await sql`
    insert into source_items (organization_id, id, provider, external_id, source_id, source_kind, title, body, metadata,
      content_sha256, synced_at, created_at, updated_at)
    select ${id}::uuid, gen_random_uuid(), 'slack', 'made-' || n, ${sources.slack}::uuid, 'message', 'Made', 'made', '{}',
      sha256('made'), now(), now(), now() from generate_series(1, ${CHUNKS}::int) n`.execute(db)
  await sql`
    insert into chunks (organization_id, source_item_id, position, content)
    select organization_id, id, 0, 'made' from source_items where organization_id = ${id} and title = 'Made'`.execute(
    db,
  )
  await sql`
    insert into chunk_embeddings (organization_id, embedding_model_id, source_item_id, position, provider, embedding)
    select i.organization_id, o.embedding_model_id, i.id, 0, 'slack',
      (select array_agg(abs(hashtext(i.id::text || d)) % 1000) from generate_series(1, m.dimensions) d)::real[]::halfvec
    from source_items i join organizations o on o.id = i.organization_id join embedding_models m on m.id = o.embedding_model_id
    where i.organization_id = ${id} and i.title = 'Made'`.execute(db)
}

async function searches(): Promise<Record<string, number>> {
  const { text } = await service.call('GET', '/metrics')
  return Object.fromEntries(
    [...text.matchAll(/^searches_total\{path="(\w+)"\} (\d+)$/gm)].map(([, path, count]) => [
      path,
      Number(count),
    ]),
  )
}

async function isCounted(path: string, act: () => Promise<unknown>): Promise<void> {
  const before = await searches()
  await act()
  const after = await searches()
  const counted = Object.keys(after).filter((name) => after[name] !== (before[name] ?? 0))
  expect(counted).toEqual([path])
}

/** Limitations of the search itself, without weak evidence. */
const ofSearch = (all: { code: string }[]): unknown[] => all.filter(({ code }) => code !== 'weak_evidence')

async function limitations(): Promise<unknown[]> {
  const { body: contract } = await call('context')
  const { body: answer } = await call('ask')
  const headers = { Accept: 'application/json, text/event-stream' }
  const mcp = async (name: string) => {
    const params = { name, arguments: { query: QUERY } }
    const { text } = await service.call('POST', '/mcp', {
      key: organization.adminKey,
      headers,
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    })
    const json = text.startsWith('{') ? text : (/^data: (\{.*)$/m.exec(text)?.[1] ?? '')
    return JSON.parse(json).result.structuredContent.limitations
  }
  const all = [contract.limitations, answer.limitations, await mcp('context'), await mcp('ask')]
  return all.map(ofSearch)
}

describe.runIf(isServer)('an approximate index', () => {
  it('is searched once the operator has built it, and every context and answer says so [OPS-8, CTX-13]', async () => {
    await isCounted('database', () => call('search'))
    expect(await limitations()).toEqual([[], [], [], []])
    const exact = (await call('search')).body.hits

    const asked = await operate('PUT')
    expect(asked).toMatchObject({ status: 200, body: { approximateIndex: { chunksTotal: CHUNKS + 1 } } })
    await until(
      'it is ready',
      async () => (await operate('GET')).body.approximateIndex,
      ({ status }) => status === 'ready',
    )

    await isCounted('approximate', async () => {
      const { body } = await call('search')
      expect(Object.keys(body).toSorted()).toEqual(['hits', 'query'])
      expect(body.hits).toHaveLength(exact.length)
      // It may miss some hits, so that others move up, but it raises no score.
      const scores = body.hits.map(({ score }: { score: number }) => score)
      expect(scores).toEqual(scores.toSorted((a: number, b: number) => b - a))
      for (const [at, score] of scores.entries()) expect(score).toBeLessThanOrEqual(exact[at].score)
    })
    await isCounted('approximate', () => call('search', { query: QUERY, rank: 'hybrid' }))
    const said = [{ code: 'approximate_search', message: aText }]
    await isCounted('approximate', async () => expect(await limitations()).toEqual([said, said, said, said]))
  })

  it('is not searched for rare scopes, which are searched exactly without a limitation [CTX-13, SEA-5]', async () => {
    const filter = { providers: ['notion'] }
    await isCounted('database', async () => {
      const { body } = await call('context', { query: QUERY, filter })
      expect(body.hits).toHaveLength(1)
      expect(ofSearch(body.limitations)).toEqual([])
    })
  })

  it('is used only when memory search is not [OPS-8]', async () => {
    const holding = await startTestService({ embeddingModel, database: service.database })
    const before = service
    service = holding
    try {
      await until(
        'memory answers',
        async () => {
          await call('search')
          return await searches()
        },
        ({ memory = 0 }) => memory > 0,
      )
      await isCounted('memory', async () =>
        expect(ofSearch((await call('context')).body.limitations)).toEqual([]),
      )
    } finally {
      service = before
      await holding.close()
    }
  })

  it('is not used after the operator drops it [OPS-8]', async () => {
    expect((await operate('DELETE')).body.approximateIndex).toMatchObject({ status: 'none' })
    await isCounted('database', async () =>
      expect(ofSearch((await call('context')).body.limitations)).toEqual([]),
    )
  })
})

it.skipIf(isServer)(
  'is refused by the embedded and a distributed database, whose search stays exact [OPS-8]',
  async () => {
    const refused = await operate('PUT')
    expect(refused).toMatchObject({ status: 409, body: { code: 'approximate_index_refused' } })
    expect((await operate('GET')).body.approximateIndex).toMatchObject({ status: 'none' })
    await isCounted('database', async () =>
      expect(ofSearch((await call('context')).body.limitations)).toEqual([]),
    )
  },
)
