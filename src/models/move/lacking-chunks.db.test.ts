import { CompiledQuery, type LogEvent, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { hashEmbeddingModel } from '../../../test/support/hash-embedding-model.ts'
import { manyItems } from '../../../test/support/items.ts'
import { insertOrganization } from '../../../test/support/organizations.ts'
import { createItems } from '../../items/index.ts'
import { createModelRegistry } from '../model-registry.ts'
import { findItemsAfter, findLackingChunks } from './lacking-chunks.ts'

const Plan = z.array(z.object({ 'QUERY PLAN': z.string() }))
/** No vector of it exists yet, as when a move begins. */
const NEW_MODEL = 9_999

let database: TestDatabase
let last: LogEvent['query'] | undefined

beforeAll(async () => {
  database = await createTestDatabase(({ query }) => {
    last = query
  })
})
afterAll(() => database.close())

describe('the statement that finds chunks without a vector', () => {
  it('looks up each vector by its key, also while the planner knows none of the new model', async () => {
    const { db } = database
    const organization = await insertOrganization(db)
    const models = createModelRegistry({
      configured: hashEmbeddingModel({ id: 'old', dimensions: 8 }),
      builtin: async () => null,
    })
    await createItems({ db, models, clock: { now: () => new Date() } }).write(
      organization.id,
      manyItems(organization, 1_000),
    )
    for (const table of ['chunks', 'source_items', 'chunk_embeddings'])
      await sql`analyze ${sql.table(table)}`.execute(db)
    const ids = await findItemsAfter(db, organization.id, null, 32)
    expect(await findLackingChunks(db, organization.id, NEW_MODEL, ids)).toHaveLength(32)
    if (last === undefined) throw new Error('nothing was asked')
    const explained = CompiledQuery.raw(`explain (costs off) ${last.sql}`, [...last.parameters])
    const plan = Plan.parse((await db.executeQuery(explained)).rows).map((row) => row['QUERY PLAN'])
    expect(plan.join('\n')).toMatch(/ on chunk_embeddings/)
    expect(plan.filter((line) => /chunk_embeddings_by_provider/.test(line))).toEqual([])
  })
})
