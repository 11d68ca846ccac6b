import { type LogEvent, sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { nearestQuery } from '../../../test/support/nearest-query.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { hashEmbeddingModel } from '../../../test/support/hash-embedding-model.ts'
import { testItem } from '../../../test/support/items.ts'
import { insertOrganization, type TestOrganization } from '../../../test/support/organizations.ts'
import { createIndex } from '../../approximate-index/index.ts'
import { createModelRegistry, readModelState } from '../../models/index.ts'
import { createItems, type Items } from '../../items/index.ts'
import { createRemovals } from '../../sources/index.ts'
import { changeItems } from '../../item-changes/index.ts'
import { testTerms } from '../../../test/support/term-weights.ts'
import { createFindNearest } from '../find-nearest.ts'
import type { Nearest, NearestQuery } from '../nearest-query.ts'
import { nearestFrom } from '../nearest.ts'
import { RowCache } from '../row-cache.ts'
import { createReadCandidates } from '../read-candidates.ts'
import { createIndexSource, FEW_VECTORS } from './from-index.ts'

const clock = { now: () => new Date('2026-03-01T12:00:00.000Z') }
const model = hashEmbeddingModel({ dimensions: 24 })
const WORDS = 'apple bridge candle desert engine forest garden harbour island jungle'.split(' ')
const ITEMS = 160
/** The minimum number of vectors for the index in this test. */
const FEW = 10

let database: TestDatabase
let items: Items
let organization: TestOrganization
let statements: LogEvent['query'][] = []

beforeAll(async () => {
  database = await createTestDatabase(({ query }) => void statements.push(query))
  const models = createModelRegistry({ configured: model, builtin: async () => model })
  items = createItems({ db: database.db, models, clock })
})
afterAll(() => database.close())
beforeEach(async () => {
  organization = await insertOrganization(database.db)
  await write(organization)
  await makeIndex(organization)
})
afterEach(() => {
  statements = []
})

/** Writes items of two words each, many of them equally near; every second one from Slack, every fourth by Ana. */
async function write({ id, ...of }: TestOrganization): Promise<void> {
  await items.write(
    id,
    Array.from({ length: ITEMS }, (_, at) =>
      testItem(
        { id, ...of },
        {
          externalId: `item-${at}`,
          title: 'a title',
          body: `${WORDS[at % 10]} ${WORDS[(at * 7) % 9]}`,
          provider: at % 2 === 0 ? 'slack' : 'notion',
          authorName: at % 4 === 0 ? 'Ana' : 'Ben',
          metadata: { at: at % 5 },
        },
      ),
    ),
  )
}

async function modelOf(id: string): Promise<{ id: number; name: string }> {
  const { active } = await readModelState(database.db, id)
  if (active === null) throw new Error('nothing is stored')
  return active
}

/** Builds the index as the worker does, with statements that every database supports. */
async function makeIndex({ id }: TestOrganization): Promise<void> {
  const { id: modelId } = await modelOf(id)
  const statement = createIndex(
    { organizationId: id, modelId },
    { dimensions: model.dimensions, isConcurrent: false },
  )
  await statement.execute(database.db)
  await database.db
    .insertInto('approximate_indexes')
    .values({
      organization_id: id,
      embedding_model_id: modelId,
      status: 'ready',
      requested_at: clock.now(),
      finished_at: clock.now(),
    })
    .execute()
}

async function asking(words: string, different: Partial<NearestQuery> = {}): Promise<NearestQuery> {
  return nearestQuery({
    organizationId: organization.id,
    model: await modelOf(organization.id),
    vector: await model.embedQuery(words),
    ...different,
  })
}

async function byIndex(query: NearestQuery, few = FEW): Promise<Nearest | null> {
  const { db } = database
  const source = await createIndexSource(db, query, few)
  const readCandidates = createReadCandidates({ db, cache: new RowCache() })
  return source && (await nearestFrom(source, query, { readCandidates, countInScope: async () => ITEMS }))
}

const byScan = async (query: NearestQuery): Promise<Nearest> =>
  await createFindNearest({ db: database.db, terms: testTerms }).nearest(query)

function chunksOf(nearest: Nearest | null) {
  if (nearest?.state !== 'found') throw new Error('the index did not answer')
  return nearest.chunks
}

const SCOPES: [string, Partial<NearestQuery>][] = [
  ['all', {}],
  ['a provider', { providers: ['slack'] }],
  ['an author', { filter: { authorName: 'Ana' } }],
  ['a value and a provider', { providers: ['notion'], filter: { metadata: { at: 3 } } }],
  ['the order by words too', { limit: 60, meaning: { from: 0, length: 8 } }],
]

describe('a search by an approximate index', () => {
  // A graph this small is searched completely, so that nothing is missed. Ties can resolve differently than in a scan.
  it.each(SCOPES)('respects scope, filter, scores and the order of ties: %s', async (_title, scope) => {
    for (const words of ['title apple', 'title bridge candle', 'a title', 'a jungle title']) {
      const query = await asking(words, scope)
      const found = await byIndex(query)
      const exact = chunksOf(await byScan(query))
      expect(found).toMatchObject({ state: 'found', isApproximate: true })
      const chunks = chunksOf(found)
      expect(chunks.map(({ score }) => score)).toEqual(exact.map(({ score }) => score))
      const inOrder = chunks.toSorted(
        (a, b) => b.score - a.score || (a.sourceItemId < b.sourceItemId ? -1 : 1) || a.position - b.position,
      )
      expect(chunks).toEqual(inOrder)
      const passing = await byScan({ ...query, limit: ITEMS })
      const ids = new Set(chunksOf(passing).map(({ sourceItemId }) => sourceItemId))
      expect(chunks.filter(({ sourceItemId }) => !ids.has(sourceItemId))).toEqual([])
    }
  })

  it.each(SCOPES)('uses the index in the statement that finds candidates: %s', async (_title, scope) => {
    await byIndex(await asking('apple bridge', scope))
    const settings = statements.find(({ sql: text }) => text.includes('hnsw.ef_search'))
    const finding = statements.find(({ sql: text }) => /as vector,[^]*order by/.test(text))
    if (!settings || !finding) throw new Error('no candidates were searched')
    const plan = await database.db.transaction().execute(async (tx) => {
      await tx.executeQuery(settings)
      return await tx.executeQuery({ ...finding, sql: `explain ${finding.sql}` })
    })
    const text = JSON.stringify(plan.rows)
    expect(text).toContain('Index Scan using chunk_embeddings_near_')
    expect(text).not.toContain('Sort')
  })

  it('never shows deleted, changed or removed chunks, and shows added ones', async () => {
    const before = chunksOf(await byIndex(await asking('apple')))
    const [first, second] = before
    if (!first || !second) throw new Error('nothing was found')
    await items.remove(organization.caller(), { id: first.sourceItemId })
    await items.write(organization.id, [
      testItem(organization, { externalId: 'new', title: 'apple', body: 'apple apple' }),
    ])
    const now = chunksOf(await byIndex(await asking('apple')))
    expect(now.map(({ sourceItemId }) => sourceItemId)).not.toContain(first.sourceItemId)
    expect(now[0]).toMatchObject({ title: 'apple' })
    const removals = createRemovals({
      db: database.db,
      clock,
      endRuns: async () => {},
      onError: (error) => {
        throw error
      },
    })
    const source = { organizationId: organization.id, sourceId: organization.sourceIds.slack }
    await changeItems(database.db, organization.id, (tx, changes) => removals.mark(tx, changes, source))
    const left = chunksOf(await byIndex(await asking('apple bridge')))
    expect(left).toHaveLength(8)
    expect(left.every(({ provider }) => provider === 'notion')).toBe(true)
  })

  it("covers the caller's organization only", async () => {
    const other = await insertOrganization(database.db)
    await write(other)
    const query = await asking('apple')
    expect(await byIndex({ ...query, organizationId: other.id })).toBeNull()
    const own = await sql<{ id: string }>`
      select id from source_items where organization_id = ${organization.id}`.execute(database.db)
    const ids = new Set(own.rows.map(({ id }) => id))
    for (const { sourceItemId } of chunksOf(await byIndex(query))) expect(ids).toContain(sourceItemId)
  })

  it('leaves the answer to the database if few vectors are in scope, too few are found, or the model has no index', async () => {
    const query = await asking('apple')
    expect(await byIndex(query, ITEMS + 1)).toBeNull()
    expect(await byIndex(query, FEW_VECTORS)).toBeNull()
    expect(await byIndex({ ...query, filter: { authorName: 'Nobody' } })).toBeNull()
    expect(await byIndex({ ...query, limit: ITEMS + 1 })).toBeNull()
    expect(await byIndex({ ...query, model: { id: query.model.id + 1, name: 'another' } })).toBeNull()
    await database.db.updateTable('approximate_indexes').set({ status: 'building' }).execute()
    expect(await byIndex(query)).toBeNull()
  })
})
