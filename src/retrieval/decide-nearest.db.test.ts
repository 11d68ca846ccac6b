import { randomUUID } from 'node:crypto'
import { CompiledQuery } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { hashEmbeddingModel } from '../../test/support/hash-embedding-model.ts'
import { manyItems } from '../../test/support/items.ts'
import { insertOrganization } from '../../test/support/organizations.ts'
import { createModelRegistry, readModelState } from '../embeddings/index.ts'
import { createItems } from '../items/index.ts'
import { decideNearest } from './find-nearest.ts'

const model = hashEmbeddingModel({ id: 'first', dimensions: 48 })
const Plan = z.array(z.object({ 'QUERY PLAN': z.string() }))

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

describe('what decides which of the proposed chunks are nearest', () => {
  it.each([
    ['nothing', {}],
    [
      'all that it can',
      {
        sourceKinds: ['document' as const],
        authorName: 'Ada',
        connectorId: randomUUID(),
        updatedAfter: '2026-01-01T00:00:00Z',
        updatedBefore: '2026-12-01T00:00:00Z',
        metadata: { team: 'sales' },
      },
    ],
  ])(
    'goes to each by its key, though nobody told the planner how many chunks there are, where the filter asks for %s',
    async (_asked, filter) => {
      const { db } = database
      const organization = await insertOrganization(db)
      const items = createItems({
        db,
        models: createModelRegistry({ configured: model, builtin: async () => model }),
        clock: { now: () => new Date('2026-03-01T12:00:00.000Z') },
      })
      await items.write(organization.id, manyItems(organization, 300))
      const [any] = await db.selectFrom('source_items').select('id').limit(1).execute()
      const { active } = await readModelState(db, organization.id)
      if (!any || !active) throw new Error('nothing is stored')
      const sent = vi.spyOn(db, 'executeQuery')
      const query = {
        organizationId: organization.id,
        model: active,
        vector: await model.embedQuery('apple'),
        limit: 10,
        meaning: null,
        providers: null,
        filter,
        entityIds: null,
        seenRevision: null,
      }
      await decideNearest(db, query, [{ itemId: any.id, position: 0 }])
      const [statement] = sent.mock.lastCall ?? []
      if (!statement || !('sql' in statement)) throw new Error('nothing was asked')
      const explained = CompiledQuery.raw(`explain (costs off) ${statement.sql}`, [...statement.parameters])
      const { rows } = await db.executeQuery(explained)
      const plan = Plan.parse(rows).map((row) => row['QUERY PLAN'])
      // On a distributed database those of a shard, which has its number behind the table's name.
      const scans = plan.filter((line) =>
        /Scan.* on (?:chunk_embeddings|chunks|source_items)(?:_\d+)?\b/.test(line),
      )
      expect(scans.length).toBeGreaterThan(2)
      expect(
        plan.filter((line) => /chunk_embeddings_by|Seq Scan on (?:chunk|source_items)|Hash Join/.test(line)),
      ).toEqual([])
    },
  )
})
