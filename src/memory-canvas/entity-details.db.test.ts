import type { KyselyPlugin } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { hashEmbeddingModel } from '../../test/support/hash-embedding-model.ts'
import { deleteNamed, testItem } from '../../test/support/items.ts'
import { insertOrganization } from '../../test/support/organizations.ts'
import type { Db } from '../database/database.ts'
import { loadTermWeights } from '../inference/term-weights.ts'
import { createItems, type Items } from '../items/index.ts'
import { AppError } from '../kernel/errors.ts'
import { systemClock } from '../kernel/clock.ts'
import { createModelRegistry } from '../models/index.ts'
import { describeEntity } from './entity-details.ts'
import { createCanvasWorker, createMemoryCanvas } from './index.ts'

let database: TestDatabase
let items: Items

beforeAll(async () => {
  database = await createTestDatabase()
  const model = hashEmbeddingModel()
  const models = createModelRegistry({ configured: model, builtin: async () => model })
  items = createItems({ db: database.db, clock: systemClock, models })
})
afterAll(() => database.close())

async function readAll(): Promise<void> {
  const fail = (fields: object): void => {
    throw new Error(`nothing may fail: ${JSON.stringify(fields)}`)
  }
  const logger = { warn: fail, error: fail }
  const terms = await loadTermWeights()
  const worker = createCanvasWorker({
    db: database.db,
    terms,
    logger,
    onRead: () => undefined,
    isBusy: () => false,
  })
  await worker.readWaiting()
  await worker.stop()
}

/** The database, where something happens after this many results. */
function afterResults(db: Db, count: number, act: () => Promise<void>): { db: Db; seen: () => number } {
  let seen = 0
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      if (++seen === count) await act()
      return result
    },
  }
  return { db: db.withPlugin(plugin), seen: () => seen }
}

/** Describes an entity whose only item is deleted after this many results. */
async function describeDuringDeletion(count: number): Promise<{ outcome: unknown; results: number }> {
  const organization = await insertOrganization(database.db)
  const { signal } = new AbortController()
  await items.write(organization.id, [
    testItem(organization, { externalId: 'only', body: 'About Grace Hopper <grace@corp.com>.' }),
  ])
  await readAll()
  const canvas = createMemoryCanvas({ db: database.db, clock: systemClock, findItems: async () => [] })
  const { nodes } = await canvas.draw(organization.caller(), { limit: 50 }, signal)
  const id = nodes.find(({ label }) => label === 'Grace Hopper')?.id ?? ''
  const { db, seen } = afterResults(database.db, count, () =>
    deleteNamed(database.db, organization.id, ['only']),
  )
  const outcome = await describeEntity(db, organization.caller(), id).then(
    ({ entity }) => entity.label,
    (error: unknown) => (error instanceof AppError ? error.code : error),
  )
  return { outcome, results: seen() }
}

describe('the details of an entity', () => {
  it('are complete or not found if its last item is deleted meanwhile', async () => {
    const outcomes: unknown[] = []
    for (let count = 1, results = 1; count <= results; count++) {
      const described = await describeDuringDeletion(count)
      outcomes.push(described.outcome)
      results = Math.max(results, described.results)
    }
    expect(new Set(outcomes)).toEqual(new Set(['not_found', 'Grace Hopper']))
  })
})
