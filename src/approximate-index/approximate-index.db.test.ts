import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { workerUrls } from '../../test/support/database-setup.ts'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { hashEmbeddingModel } from '../../test/support/hash-embedding-model.ts'
import { manyItems } from '../../test/support/items.ts'
import { insertOrganization, type TestOrganization } from '../../test/support/organizations.ts'
import { until } from '../../test/support/until.ts'
import { LAYOUT } from '../database/distribution/layout.ts'
import { createModelRegistry, readModelState } from '../models/index.ts'
import type { EmbeddingModel } from '../inference/embedding-model.ts'
import { createItems } from '../items/index.ts'
import { createModelMove } from '../models/index.ts'
import { type ApproximateIndexes, createApproximateIndexes, hasReadyIndex } from './index.ts'
import { indexName } from './index-ddl.ts'

const isDistributed = workerUrls().length > 0
const isServer = process.env.TEST_DRIVER === 'postgres' && !isDistributed
const clock = { now: () => new Date('2026-03-01T12:00:00.000Z') }
const first = hashEmbeddingModel({ id: 'first', dimensions: 32 })
const second = hashEmbeddingModel({ id: 'second', dimensions: 16 })
const REQUEST = randomUUID()
const ITEMS = 40

let database: TestDatabase
let organization: TestOrganization
let started: ApproximateIndexes[] = []
let logged: string[] = []

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())
beforeEach(async () => {
  organization = await insertOrganization(database.db)
  const items = createItems({ db: database.db, models: modelsOf(first), clock })
  await items.write(organization.id, manyItems(organization, ITEMS))
})
afterEach(async () => {
  await Promise.all(started.map((one) => one.stop()))
  await database.db.deleteFrom('approximate_indexes').execute()
  await instance().settle()
  started = []
  logged = []
})

function modelsOf(configured: EmbeddingModel) {
  const builtin = async (name: string) => [first, second].find(({ id }) => id === name) ?? null
  return createModelRegistry({ configured, builtin })
}

/** One process. Its leases last an hour, so that only a test takes one away. */
function instance(works = true): ApproximateIndexes {
  const note = (_fields: object, message: string): void => void logged.push(message)
  const made = createApproximateIndexes({
    database,
    clock,
    logger: { info: note, error: note },
    works,
    times: { leaseSeconds: 3_600, renewMs: 20 },
  })
  started.push(made)
  return made
}

async function moveTo(model: EmbeddingModel): Promise<void> {
  const logger = {
    info: () => {},
    warn: () => {},
    error: (fields: object) => expect.fail(JSON.stringify(fields)),
  }
  const move = createModelMove({ db: database.db, models: modelsOf(model), clock, logger, works: true })
  await move.start(organization.caller())
  await move.resume()
  await move.stop()
}

async function modelId(): Promise<number> {
  const { active } = await readModelState(database.db, organization.id)
  if (active === null) throw new Error('nothing is stored')
  return active.id
}

/** The indexes in the catalog, and whether each is valid. */
async function inCatalog(): Promise<Record<string, boolean>> {
  const { rows } = await sql<{ name: string; whole: boolean }>`
    select c.relname::text as name, i.indisvalid as whole from pg_index i join pg_class c on c.oid = i.indexrelid
    where c.relname like 'chunk\_embeddings\_near\_%'`.execute(database.db)
  return Object.fromEntries(rows.map(({ name, whole }) => [name, whole]))
}

const ownIndex = async () => indexName({ organizationId: organization.id, modelId: await modelId() })

async function leaseOf(): Promise<{ lease_id: string | null; status: string } | undefined> {
  return await database.db
    .selectFrom('approximate_indexes')
    .select(['lease_id', 'status'])
    .where('organization_id', '=', organization.id)
    .executeTakeFirst()
}

/** Holds a lock that an index build waits for, so that the build is observable. */
async function whileBuilding(act: (made: ApproximateIndexes) => Promise<void>): Promise<void> {
  const release = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const holding = database.db.transaction().execute(async (tx) => {
    await sql`lock table chunk_embeddings in row exclusive mode`.execute(tx)
    locked.resolve()
    await release.promise
  })
  try {
    await locked.promise
    const made = instance()
    await made.ask(REQUEST, organization.id)
    const name = await ownIndex()
    await until('it is being built', inCatalog, (found) => found[name] === false)
    await act(made)
  } finally {
    release.resolve()
    await holding
  }
}

describe('an approximate index', () => {
  it('does not exist unless requested', async () => {
    expect(await instance().read(organization.id)).toEqual({
      status: 'none',
      model: null,
      chunksTotal: 0,
      chunksDone: 0,
      bytes: 0,
      requestedAt: null,
      finishedAt: null,
      errorMessage: null,
    })
    expect(await instance().drop(REQUEST, organization.id)).toMatchObject({ status: 'none' })
    expect(logged).toEqual([])
  })

  it('is refused without an organization or stored vectors', async () => {
    const made = instance()
    for (const act of [made.read, made.ask.bind(null, REQUEST), made.drop.bind(null, REQUEST)])
      await expect(act(randomUUID())).rejects.toMatchObject({ code: 'not_found' })
    const empty = await insertOrganization(database.db)
    await expect(made.ask(REQUEST, empty.id)).rejects.toMatchObject({ code: 'approximate_index_refused' })
  })
})

describe.skipIf(isServer)('on the embedded or a distributed database', () => {
  it('is refused, and the error says why', async () => {
    await expect(instance().ask(REQUEST, organization.id)).rejects.toMatchObject({
      code: 'approximate_index_refused',
      message: expect.stringContaining(isDistributed ? 'distributed' : 'DATABASE_URL'),
    })
    expect(await leaseOf()).toBeUndefined()
  })
})

describe.runIf(isServer)('on a server', () => {
  it("is built on request over that organization's vectors alone, and logged", async () => {
    const made = instance()
    const other = await insertOrganization(database.db)
    expect(await made.ask(REQUEST, organization.id)).toMatchObject({
      status: 'building',
      model: 'first',
      chunksTotal: ITEMS,
      requestedAt: clock.now().toISOString(),
      finishedAt: null,
    })
    await made.settle()
    const ready = await made.read(organization.id)
    expect(ready).toMatchObject({ status: 'ready', chunksDone: ITEMS, errorMessage: null })
    expect(ready.bytes).toBeGreaterThan(0)
    expect(ready.finishedAt).not.toBeNull()
    expect(await inCatalog()).toEqual({ [await ownIndex()]: true })
    const is = { organizationId: organization.id, modelId: await modelId() }
    expect(await hasReadyIndex(database.db, is)).toBe(true)
    expect(await hasReadyIndex(database.db, { ...is, organizationId: other.id })).toBe(false)
    // A second request changes nothing.
    expect(await made.ask(REQUEST, organization.id)).toMatchObject({ status: 'ready' })
    expect(logged).toEqual([
      'the operator requested an approximate index',
      'an approximate index is being built',
      'an approximate index is ready',
      'the operator requested an approximate index',
    ])
  })

  it('is left to a worker process if this one is not', async () => {
    await instance(false).ask(REQUEST, organization.id)
    expect(await inCatalog()).toEqual({})
    await instance().settle()
    expect(await instance(false).read(organization.id)).toMatchObject({ status: 'ready' })
  })

  it('is built by one of several processes', async () => {
    await instance(false).ask(REQUEST, organization.id)
    await Promise.all([instance().settle(), instance().settle(), instance().settle()])
    expect(logged.filter((message) => message.endsWith('is being built'))).toHaveLength(1)
    expect(await instance().read(organization.id)).toMatchObject({ status: 'ready' })
  })

  it('is rebuilt for a new answering model, and the old one is dropped', async () => {
    const made = instance()
    await made.ask(REQUEST, organization.id)
    await made.settle()
    const before = await ownIndex()
    await moveTo(second)
    expect(
      await hasReadyIndex(database.db, { organizationId: organization.id, modelId: await modelId() }),
    ).toBe(false)
    await made.settle()
    expect(await ownIndex()).not.toBe(before)
    expect(await inCatalog()).toEqual({ [await ownIndex()]: true })
    expect(await made.read(organization.id)).toMatchObject({ status: 'ready', model: 'second' })
  })

  it('is unused by searches as soon as it is dropped', async () => {
    const made = instance()
    await made.ask(REQUEST, organization.id)
    await made.settle()
    expect(await made.drop(REQUEST, organization.id)).toMatchObject({ status: 'none' })
    expect(
      await hasReadyIndex(database.db, { organizationId: organization.id, modelId: await modelId() }),
    ).toBe(false)
    await made.settle()
    expect(await inCatalog()).toEqual({})
  })

  it('is dropped with its organization', async () => {
    const made = instance()
    await made.ask(REQUEST, organization.id)
    await made.settle()
    expect(Object.keys(await inCatalog())).toHaveLength(1)
    for (const [table, placement] of Object.entries(LAYOUT).toReversed())
      if (placement === 'tenant' && table !== 'approximate_indexes')
        await sql`delete from ${sql.table(table)} where organization_id = ${organization.id}`.execute(
          database.db,
        )
    await database.db.deleteFrom('organizations').where('id', '=', organization.id).execute()
    await made.settle()
    expect(await inCatalog()).toEqual({})
  })

  it('is canceled if it is dropped while building', async () => {
    await whileBuilding(async (made) => {
      await made.drop(REQUEST, organization.id)
      await until('no process builds it', buildersOf, (builders) => builders === 0)
    })
    await instance().settle()
    expect(await inCatalog()).toEqual({})
  })

  it('is canceled when its process stops, and the lease goes to the next process', async () => {
    await whileBuilding(async (made) => {
      await made.stop()
      expect(await leaseOf()).toEqual({ lease_id: null, status: 'building' })
      expect(await buildersOf()).toBe(0)
    })
    await instance().settle()
    expect(await inCatalog()).toEqual({ [await ownIndex()]: true })
    expect(await instance().read(organization.id)).toMatchObject({ status: 'ready' })
  })

  it('reports why it failed, and a request retries it', async () => {
    await whileBuilding(async (made) => {
      await sql`
        select pg_terminate_backend(p.pid) from pg_stat_progress_create_index p where datname = current_database()`.execute(
        database.db,
      )
      await made.settle()
      const failed = await made.read(organization.id)
      expect(failed).toMatchObject({ status: 'failed', errorMessage: expect.stringContaining('terminat') })
    })
    const made = instance()
    // No automatic retry yet.
    await made.settle()
    expect(await made.read(organization.id)).toMatchObject({ status: 'failed' })
    expect(await made.ask(REQUEST, organization.id)).toMatchObject({ status: 'building', errorMessage: null })
    await made.settle()
    expect(await made.read(organization.id)).toMatchObject({ status: 'ready' })
  })

  it('left half built is dropped and rebuilt after its lease has expired, and not before', async () => {
    const made = instance()
    await made.ask(REQUEST, organization.id)
    await made.settle()
    const name = await ownIndex()
    const oidOf = async () =>
      (await sql<{ oid: number }>`select ${name}::regclass::oid::int as oid`.execute(database.db)).rows[0]
        ?.oid
    const half = await oidOf()
    // The state after a process and its session died.
    await sql`update pg_index set indisvalid = false where indexrelid = ${name}::regclass`.execute(
      database.db,
    )
    await database.db
      .updateTable('approximate_indexes')
      .set({
        status: 'building',
        lease_id: randomUUID(),
        lease_expires_at: sql`statement_timestamp() + interval '1 hour'`,
      })
      .execute()
    await made.settle()
    expect(await oidOf()).toBe(half)
    await database.db
      .updateTable('approximate_indexes')
      .set({ lease_expires_at: sql`statement_timestamp() - interval '1 second'` })
      .execute()
    await made.settle()
    expect(await inCatalog()).toEqual({ [name]: true })
    expect(await oidOf()).not.toBe(half)
    expect(await made.read(organization.id)).toMatchObject({ status: 'ready' })
  })

  it('is rebuilt after a manual drop', async () => {
    const made = instance()
    await made.ask(REQUEST, organization.id)
    await made.settle()
    await sql`drop index ${sql.id(await ownIndex())}`.execute(database.db)
    await made.settle()
    expect(await inCatalog()).toEqual({ [await ownIndex()]: true })
  })
})

/** How many sessions build an index. */
async function buildersOf(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pg_stat_progress_create_index where datname = current_database()`.execute(
    database.db,
  )
  return rows[0]?.count ?? 0
}
