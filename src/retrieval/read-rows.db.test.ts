import { randomUUID } from 'node:crypto'
import { CompiledQuery } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { hashEmbeddingModel } from '../../test/support/hash-embedding-model.ts'
import { manyItems, testItem } from '../../test/support/items.ts'
import { insertOrganization } from '../../test/support/organizations.ts'
import { createModelRegistry, readModelState } from '../models/index.ts'
import { createItems } from '../items/index.ts'
import type { NearestQuery } from './nearest-query.ts'
import { readRows } from './read-rows.ts'
import type { SearchFilter } from '../vector-memory/index.ts'
import { Readable } from '../kernel/viewer.ts'

const model = hashEmbeddingModel({ id: 'first', dimensions: 48 })
const Plan = z.array(z.object({ 'QUERY PLAN': z.string() }))

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

/** Creates an organization of 300 items and queries on it. */
async function askingOf(filter: SearchFilter = {}) {
  const { db } = database
  const organization = await insertOrganization(db)
  const items = createItems({
    db,
    models: createModelRegistry({ configured: model, builtin: async () => model }),
    clock: { now: () => new Date('2026-03-01T12:00:00.000Z') },
  })
  await items.write(organization.id, manyItems(organization, 300))
  const { active } = await readModelState(db, organization.id)
  if (!active) throw new Error('nothing is stored')
  const query: NearestQuery = {
    organizationId: organization.id,
    model: active,
    vector: await model.embedQuery('common'),
    limit: 10,
    meaning: null,
    providers: null,
    readable: Readable.everything,
    filter,
    entityIds: null,
    seenRevision: null,
  }
  return { organization, items, query }
}

describe('the statement that reads rows', () => {
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
    'looks up each row by its key, whatever sizes the planner assumes, with a filter on %s',
    async (_asked, filter) => {
      const { db } = database
      const { organization, query } = await askingOf(filter)
      const any = await db
        .selectFrom('source_items')
        .select('id')
        .where('organization_id', '=', organization.id)
        .limit(1)
        .executeTakeFirstOrThrow()
      const sent = vi.spyOn(db, 'executeQuery')
      await readRows(db, query, { keys: [{ itemId: any.id, position: 0 }], since: 0 })
      const [statement] = sent.mock.lastCall ?? []
      if (!statement || !('sql' in statement)) throw new Error('nothing was asked')
      const explained = CompiledQuery.raw(`explain (costs off) ${statement.sql}`, [...statement.parameters])
      const { rows } = await db.executeQuery(explained)
      const plan = Plan.parse(rows).map((row) => row['QUERY PLAN'])
      // On a distributed database, table names end with the number of a shard.
      const scans = plan.filter((line) =>
        /Scan.* on (?:chunk_embeddings|chunks|source_items)(?:_\d+)?\b/.test(line),
      )
      expect(scans.length).toBeGreaterThan(2)
      expect(
        plan.filter((line) => /chunk_embeddings_by|Seq Scan on (?:chunk|source_items)|Hash Join/.test(line)),
      ).toEqual([])
    },
  )

  it('returns all chunks changed since a revision, or reports too many changes', async () => {
    const { db } = database
    const { organization, query, items } = await askingOf()
    const changedSince = async (revision: number) =>
      (await readRows(db, query, { keys: [], since: revision })).changedItemIds?.size
    await items.write(organization.id, manyItems(organization, 500).slice(300))
    expect(await changedSince(0)).toBe(500)
    expect((await readRows(db, query, { keys: [], since: 0 })).rows).toHaveLength(500)
    expect(await changedSince(1)).toBe(200)
    expect(await changedSince(2)).toBe(0)
    await items.write(organization.id, manyItems(organization, 600).slice(500))
    expect(await changedSince(2)).toBe(100)
    expect(await changedSince(0)).toBeUndefined()
    const body = Array.from({ length: 600 }, (_, n) => `# ${n}\n\n${'word '.repeat(130)}.`).join('\n\n')
    await items.write(organization.id, [testItem(organization, { externalId: 'large', body })])
    expect(await changedSince(3)).toBeUndefined()
    await db.deleteFrom('item_changes').where('organization_id', '=', organization.id).execute()
    expect(await changedSince(2)).toBeUndefined()
  })

  it('lists deleted items among the changed ones', async () => {
    const { db } = database
    const { organization, query, items } = await askingOf()
    const { id } = await db
      .selectFrom('source_items')
      .select('id')
      .where('organization_id', '=', organization.id)
      .limit(1)
      .executeTakeFirstOrThrow()
    await items.remove(organization.caller(), { id })
    const { rows, changedItemIds, state } = await readRows(db, query, {
      keys: [{ itemId: id, position: 0 }],
      since: 1,
    })
    expect(rows).toEqual([])
    expect([...(changedItemIds ?? [])]).toEqual([id])
    expect(state).toMatchObject({ revision: 2, model: { name: 'first' }, removedSourceIds: [] })
  })
})
