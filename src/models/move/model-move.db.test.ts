import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { hashEmbeddingModel } from '../../../test/support/hash-embedding-model.ts'
import { manyItems, testItem } from '../../../test/support/items.ts'
import { insertOrganization, type TestOrganization } from '../../../test/support/organizations.ts'
import type { OpenDatabase } from '../../database/database.ts'
import { openPostgres } from '../../database/drivers/postgres.ts'
import { createModelRegistry } from '../model-registry.ts'
import type { EmbeddingModel } from '../../inference/embedding-model.ts'
import { findBuiltinModel, loadBuiltinModel } from '../../inference/embedding-models/builtin/builtin.ts'
import { createItems, type Items, type NewItem } from '../../items/index.ts'
import { createRetrieval, type Search } from '../../retrieval/index.ts'
import { createModelMove, type ModelMove } from './model-move.ts'
import { until } from '../../../test/support/until.ts'
import { testTerms } from '../../../test/support/term-weights.ts'

/** One configured process of the service. */
interface Instance {
  items: Items
  search: Search
  modelMove: ModelMove
}

let database: TestDatabase
let other: OpenDatabase
let organization: TestOrganization
const now = new Date('2026-03-01T12:00:00.000Z')
const clock = { now: () => now }
const errors: string[] = []
const logger = {
  info: () => {},
  warn: () => {},
  error: (_fields: object, message: string) => errors.push(message),
}
const oldModel = hashEmbeddingModel({ id: 'builtin-old', dimensions: 256 })
const newModel = hashEmbeddingModel({ id: 'new', dimensions: 96 })

function instance(
  configured: EmbeddingModel,
  { db }: OpenDatabase = database,
  works = false,
  more: Partial<Parameters<typeof createModelMove>[0]> = {},
): Instance {
  const builtin = async (name: string) => (name === oldModel.id ? oldModel : await findBuiltinModel(name))
  const models = createModelRegistry({ configured, builtin })
  return {
    items: createItems({ db, models, clock }),
    search: createRetrieval({ db, models, clock, terms: testTerms }).search,
    modelMove: createModelMove({ db, models, clock, logger, works, ...more }),
  }
}

/** Expires every lease and every wait after a failure, which the database's clock measures. */
async function letLeaseRunOut(): Promise<void> {
  await sql`
    update reembeddings set lease_expires_at = statement_timestamp() - interval '1 hour'
    where lease_expires_at is not null`.execute(database.db)
}

beforeAll(async () => {
  database = await createTestDatabase()
  other = database.url === null ? database : await openPostgres({ url: database.url })
})
afterAll(async () => {
  if (other !== database) await other.close()
  await database.close()
})
beforeEach(async () => {
  await database.db.deleteFrom('reembeddings').execute()
  organization = await insertOrganization(database.db)
  errors.length = 0
})

const newItem = (externalId: string, body: string): NewItem => testItem(organization, { externalId, body })

/** Vectors of the organization by model, and chunks without one of the answering model. */
async function vectors(): Promise<{ models: Record<string, number>; bare: number }> {
  const { rows } = await sql<{ name: string; count: number }>`
    select m.name, count(*)::int as count from chunk_embeddings e join embedding_models m on m.id = e.embedding_model_id
    where e.organization_id = ${organization.id} group by m.name`.execute(database.db)
  const bare = await sql<{ count: number }>`
    select count(*)::int as count from chunks c join organizations o on o.id = c.organization_id
    where o.id = ${organization.id} and not exists (select from chunk_embeddings e
      where e.organization_id = o.id and e.embedding_model_id = o.embedding_model_id
        and e.source_item_id = c.source_item_id and e.position = c.position)`.execute(database.db)
  return {
    models: Object.fromEntries(rows.map(({ name, count }) => [name, count])),
    bare: bare.rows[0]?.count ?? -1,
  }
}

const titles = async (search: Search, query: string): Promise<string[]> => {
  const { hits } = await search(organization.caller(), { query, limit: 25 })
  return hits.map((hit) => hit.title)
}

describe('a re-embedding', () => {
  it('moves all chunks to the configured model, which is then the only one in use', async () => {
    const before = instance(oldModel)
    const after = instance(newModel)
    await before.items.write(organization.id, manyItems(organization, 70))
    await after.modelMove.start(organization.caller())
    expect(await after.modelMove.status(organization.id)).toEqual({
      status: 'running',
      model: 'new',
      answeringModel: 'builtin-old',
      chunksTotal: 70,
      chunksDone: 0,
      startedAt: now.toISOString(),
      finishedAt: null,
      errorMessage: null,
    })
    expect(await titles(after.search, 'word7')).toContain('page-7')
    await after.modelMove.resume()
    expect(await after.modelMove.status(organization.id)).toMatchObject({
      status: 'succeeded',
      model: 'new',
      answeringModel: 'new',
      chunksTotal: 70,
      chunksDone: 70,
      finishedAt: now.toISOString(),
    })
    expect(await vectors()).toEqual({ models: { new: 70 }, bare: 0 })
    expect(await titles(after.search, 'word7')).toContain('page-7')
    expect(errors).toEqual([])
  })

  it('moves the vectors of the previous built-in model automatically and answers throughout', async () => {
    const earlier = await loadBuiltinModel('builtin-3')
    const present = await loadBuiltinModel('builtin-4')
    const stranger = await insertOrganization(database.db)
    await instance(hashEmbeddingModel({ id: 'other' })).items.write(stranger.id, manyItems(stranger, 1))
    await instance(earlier).items.write(organization.id, manyItems(organization, 70))

    const first = instance(present, database, true)
    expect(await titles(first.search, 'word7')).toContain('page-7')
    // A process that ends midway has started the move and moved some of it.
    const ended = first.modelMove.resume()
    await until('some vectors', vectors, ({ models }) => (models['builtin-4'] ?? 0) > 0)
    await first.modelMove.stop()
    await ended
    expect(await titles(instance(present).search, 'word7')).toContain('page-7')

    const second = instance(present, database, true)
    await second.modelMove.resume()
    expect(await vectors()).toEqual({ models: { 'builtin-4': 70 }, bare: 0 })
    expect(await titles(second.search, 'word7')).toContain('page-7')
    expect(await second.modelMove.status(organization.id)).toMatchObject({
      status: 'succeeded',
      model: 'builtin-4',
      answeringModel: 'builtin-4',
      chunksDone: 70,
    })
    expect(await second.modelMove.status(stranger.id)).toMatchObject({
      status: 'idle',
      answeringModel: 'other',
    })
    expect(errors).toEqual([])
  })

  it('leaves them to the previous built-in model while older processes may still run', async () => {
    const earlier = instance(await loadBuiltinModel('builtin-3'))
    await earlier.items.write(organization.id, manyItems(organization, 1))
    let time = now.getTime()
    const { modelMove } = instance(await loadBuiltinModel('builtin-4'), database, true, {
      clock: { now: () => new Date(time) },
      replaceAfterMs: 60_000,
    })
    const standing = async () => {
      const { status, answeringModel } = await modelMove.status(organization.id)
      return [status, answeringModel]
    }
    time += 59_999
    await modelMove.resume()
    expect(await standing()).toEqual(['idle', 'builtin-3'])
    time += 1
    await modelMove.resume()
    expect(await standing()).toEqual(['succeeded', 'builtin-4'])
  })

  it('produces the same vectors as an ingest with the new model', async () => {
    const body = `# Holidays\n\n${'Thirty days a year. '.repeat(60)}\n\n## Carry over\n\n${'Five days. '.repeat(80)}`
    await instance(oldModel).items.write(organization.id, [newItem('moved', body)])
    await instance(newModel).modelMove.start(organization.caller())
    await instance(newModel).modelMove.resume()
    await instance(newModel).items.write(organization.id, [{ ...newItem('fresh', body), title: 'moved' }])
    const { rows } = await sql<{ external_id: string; embeddings: string }>`
      select i.external_id, string_agg(e.embedding::text, ' ' order by e.position) as embeddings
      from source_items i join chunk_embeddings e on e.organization_id = i.organization_id and e.source_item_id = i.id
      where i.organization_id = ${organization.id} group by i.external_id`.execute(database.db)
    expect(rows).toHaveLength(2)
    expect(rows[0]?.embeddings).toBe(rows[1]?.embeddings)
  })

  it('appears in the audit trail once, however often it is requested while it runs', async () => {
    const { items, modelMove } = instance(newModel)
    await items.write(organization.id, manyItems(organization, 1))
    await Promise.all([1, 2, 3].map(() => modelMove.start(organization.caller())))
    const events = await database.db
      .selectFrom('audit_events')
      .selectAll()
      .where('organization_id', '=', organization.id)
      .execute()
    expect(events).toMatchObject([{ action: 'maintenance.reembed.start', metadata: { model: 'new' } }])
  })

  it('ends at once for an organization without content, whose first document gets the new model', async () => {
    const { items, modelMove } = instance(newModel)
    await modelMove.start(organization.caller())
    await modelMove.resume()
    expect(await modelMove.status(organization.id)).toMatchObject({ status: 'succeeded', chunksTotal: 0 })
    await items.write(organization.id, manyItems(organization, 1))
    expect(await vectors()).toEqual({ models: { new: 1 }, bare: 0 })
  })

  it('is idle if it never started', async () => {
    const { items, modelMove } = instance(newModel)
    expect(await modelMove.status(organization.id)).toMatchObject({
      status: 'idle',
      model: null,
      chunksTotal: 0,
    })
    await items.write(organization.id, manyItems(organization, 3))
    expect(await modelMove.status(organization.id)).toMatchObject({
      status: 'idle',
      model: 'new',
      chunksTotal: 3,
      chunksDone: 3,
    })
  })

  it('writes both vectors of new content and drops what is deleted', async () => {
    const { items, search, modelMove } = instance(newModel)
    await instance(oldModel).items.write(organization.id, manyItems(organization, 3))
    await modelMove.start(organization.caller())
    await items.write(organization.id, [newItem('page-0', 'rewritten'), newItem('page-new', 'added')])
    await items.remove(organization.caller(), { provider: 'notion', externalId: 'page-1' })
    expect(await vectors()).toEqual({ models: { 'builtin-old': 3, new: 2 }, bare: 0 })
    expect(await titles(search, 'rewritten')).toEqual(['page-0'])
    await modelMove.resume()
    expect(await vectors()).toEqual({ models: { new: 3 }, bare: 0 })
    expect(await titles(search, 'rewritten')).toEqual(['page-0'])
  })

  it('ends only when content stored by a process without the new model has its vectors', async () => {
    const { modelMove } = instance(newModel)
    const unaware = instance(oldModel)
    await unaware.items.write(organization.id, manyItems(organization, 2))
    await modelMove.start(organization.caller())
    // The move has passed every earlier id when this item arrives.
    await database.db
      .updateTable('reembeddings')
      .set({ after_item_id: 'ffffffff-ffff-4fff-bfff-ffffffffffff' })
      .where('organization_id', '=', organization.id)
      .execute()
    await unaware.items.write(organization.id, [newItem('late', 'late')])
    await modelMove.resume()
    expect(await vectors()).toEqual({ models: { new: 3 }, bare: 0 })
  })

  it('continues where a dead process stopped, without embedding anything twice', async () => {
    await instance(oldModel).items.write(organization.id, manyItems(organization, 100))
    const gate = Promise.withResolvers<void>()
    const reached = Promise.withResolvers<void>()
    let batches = 0
    const dying = instance({
      ...newModel,
      async embedDocuments(documents, signal) {
        batches += 1
        if (batches === 3) {
          reached.resolve()
          await gate.promise
        }
        return await newModel.embedDocuments(documents, signal)
      },
    })
    await dying.modelMove.start(organization.caller())
    const dead = dying.modelMove.resume()
    await reached.promise
    const counted = hashEmbeddingModel({ id: 'new', dimensions: 96 })
    const heir = instance(counted, other)
    await heir.modelMove.resume()
    expect(counted.calls.documents).toBe(0)
    await letLeaseRunOut()
    await heir.modelMove.resume()
    expect(counted.calls.documents).toBe(100 - 64)
    expect(await vectors()).toEqual({ models: { new: 100 }, bare: 0 })
    // The first process resumes, finds that it lost the lease, and changes nothing.
    gate.resolve()
    await dead
    expect(await vectors()).toEqual({ models: { new: 100 }, bare: 0 })
    expect(errors).toEqual([])
  })

  it('deletes the former vectors after the switch, also those a stopped process left', async () => {
    await instance(oldModel).items.write(organization.id, manyItems(organization, 70))
    const stopping: Instance = instance(newModel, database, false, {
      logger: {
        ...logger,
        info: (_fields, message) => {
          if (message === 'a re-embedding switched the model') void stopping.modelMove.stop()
        },
      },
    })
    await stopping.modelMove.start(organization.caller())
    await stopping.modelMove.resume()
    expect(await vectors()).toEqual({ models: { 'builtin-old': 70, new: 70 }, bare: 0 })
    expect(await stopping.modelMove.status(organization.id)).toMatchObject({
      status: 'running',
      answeringModel: 'new',
      chunksTotal: 70,
      chunksDone: 70,
    })
    const heir = instance(newModel)
    await heir.items.write(organization.id, [newItem('page-0', 'rewritten')])
    await heir.modelMove.resume()
    expect(await vectors()).toEqual({ models: { new: 70 }, bare: 0 })
    expect(await titles(heir.search, 'rewritten')).toContain('page-0')
    expect(await heir.modelMove.status(organization.id)).toMatchObject({ status: 'succeeded' })
  })

  it('runs in one of many instances at a time', async () => {
    await instance(oldModel).items.write(organization.id, manyItems(organization, 90))
    const counted = hashEmbeddingModel({ id: 'new', dimensions: 96 })
    const instances = [
      instance(counted),
      instance(counted, other),
      instance(counted),
      instance(counted, other),
    ]
    await instances[0]?.modelMove.start(organization.caller())
    await Promise.all(instances.map(({ modelMove }) => modelMove.resume()))
    expect(counted.calls.documents).toBe(90)
    expect(await vectors()).toEqual({ models: { new: 90 }, bare: 0 })
  })

  it('releases its lease when the process stops, so that another continues at once', async () => {
    await instance(oldModel).items.write(organization.id, manyItems(organization, 100))
    const stopping: Instance = instance({
      ...newModel,
      async embedDocuments(documents, signal) {
        void stopping.modelMove.stop()
        return await newModel.embedDocuments(documents, signal?.aborted ? undefined : signal)
      },
    })
    await stopping.modelMove.start(organization.caller())
    await stopping.modelMove.resume()
    expect(await stopping.modelMove.status(organization.id)).toMatchObject({ status: 'running' })
    await instance(newModel).modelMove.resume()
    expect(await vectors()).toEqual({ models: { new: 100 }, bare: 0 })
  })

  it('records why it stopped, retries later, and then clears the failure', async () => {
    await instance(oldModel).items.write(organization.id, manyItems(organization, 5))
    let broken = true
    const { modelMove } = instance({
      ...newModel,
      async embedDocuments(documents, signal) {
        if (broken) throw new Error('The embedding model is out of reach')
        return await newModel.embedDocuments(documents, signal)
      },
    })
    await modelMove.start(organization.caller())
    await modelMove.resume()
    expect(await modelMove.status(organization.id)).toMatchObject({
      status: 'running',
      errorMessage: 'The embedding model is out of reach',
    })
    expect(errors).toEqual(['a re-embedding stopped and will be retried'])
    broken = false
    await modelMove.resume()
    expect(await modelMove.status(organization.id)).toMatchObject({ status: 'running' })
    await letLeaseRunOut()
    await modelMove.resume()
    expect(await modelMove.status(organization.id)).toMatchObject({
      status: 'succeeded',
      errorMessage: null,
    })
  })

  it('to a model that is no longer configured is replaced by one to the configured model', async () => {
    await instance(oldModel).items.write(organization.id, manyItems(organization, 5))
    const gone = instance(hashEmbeddingModel({ id: 'gone' }))
    await gone.modelMove.start(organization.caller())
    await gone.items.write(organization.id, [newItem('both', 'both')])
    expect((await vectors()).models).toMatchObject({ gone: 1 })
    const { modelMove } = instance(newModel)
    await modelMove.resume()
    expect(await modelMove.status(organization.id)).toMatchObject({ status: 'running', model: 'gone' })
    await modelMove.start(organization.caller())
    await modelMove.resume()
    expect(await modelMove.status(organization.id)).toMatchObject({ status: 'succeeded', model: 'new' })
    expect(await vectors()).toEqual({ models: { new: 6 }, bare: 0 })
  })

  it('repairs an organization whose model is no longer available', async () => {
    await instance(hashEmbeddingModel({ id: 'lost' })).items.write(
      organization.id,
      manyItems(organization, 4),
    )
    const { search, items, modelMove } = instance(newModel)
    await expect(titles(search, 'word1')).rejects.toMatchObject({ code: 'embedding_model_mismatch' })
    await expect(items.write(organization.id, manyItems(organization, 1))).rejects.toMatchObject({
      code: 'embedding_model_mismatch',
    })
    await modelMove.start(organization.caller())
    await modelMove.resume()
    expect(await titles(search, 'word1')).toContain('page-1')
  })

  it('starts working at once where it may', async () => {
    await instance(oldModel).items.write(organization.id, manyItems(organization, 5))
    const { modelMove } = instance(newModel, database, true)
    expect(await modelMove.start(organization.caller())).toMatchObject({ model: 'new' })
    await until(
      'the end of the move',
      () => modelMove.status(organization.id),
      ({ status }) => status === 'succeeded',
    )
    await modelMove.stop()
  })
})
