import { randomUUID } from 'node:crypto'
import { CompiledQuery } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { hashEmbeddingModel } from '../../test/support/hash-embedding-model.ts'
import { manyItems, testItem } from '../../test/support/items.ts'
import { insertOrganization } from '../../test/support/organizations.ts'
import { createModelRegistry, readModelState } from '../embeddings/index.ts'
import { createItems } from '../items/index.ts'
import { decideNearest, type NearestQuery } from './find-nearest.ts'
import { areUnchanged } from './read-chunks.ts'
import type { SearchFilter } from './search-schema.ts'

const model = hashEmbeddingModel({ id: 'first', dimensions: 48 })
const Plan = z.array(z.object({ 'QUERY PLAN': z.string() }))

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

/** An organization of 300 items, and what is asked of it. */
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
    filter,
    entityIds: null,
    seenRevision: null,
  }
  return { organization, items, query }
}

const since = (revision: number) => ({ revision, chunksMax: 1_024 })

describe('what decides which of the proposed chunks are nearest', () => {
  it.each([
    ['nothing', null, {}],
    ['what has changed', since(0), {}],
    [
      'all that it can',
      null,
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
    async (_asked, changes, filter) => {
      const { db } = database
      const { organization, query } = await askingOf(filter)
      const any = await db
        .selectFrom('source_items')
        .select('id')
        .where('organization_id', '=', organization.id)
        .limit(1)
        .executeTakeFirstOrThrow()
      const sent = vi.spyOn(db, 'executeQuery')
      await decideNearest(db, query, [{ itemId: any.id, position: 0 }], changes)
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

  it('compares what has changed too, all of it or none', async () => {
    const { db } = database
    const { organization, query, items } = await askingOf()
    await items.write(organization.id, manyItems(organization, 900))
    const { nearest, changedItemIds } = await decideNearest(db, query, [], since(0))
    expect(changedItemIds?.size).toBe(900)
    expect(nearest).toMatchObject({ state: 'found', chunks: { length: 10 } })
    expect((await decideNearest(db, query, [], since(1))).changedItemIds?.size).toBe(600)
    expect((await decideNearest(db, query, [], since(2))).changedItemIds?.size).toBe(0)
    expect((await decideNearest(db, query, [])).changedItemIds).toBeNull()
    await items.write(organization.id, manyItems(organization, 1_100))
    expect((await decideNearest(db, query, [], since(2))).changedItemIds?.size).toBe(200)
    expect((await decideNearest(db, query, [], since(0))).changedItemIds).toBeNull()
    const body = Array.from({ length: 60 }, (_, n) => `# ${n}\n\n${'word '.repeat(130)}.`).join('\n\n')
    await items.write(organization.id, [testItem(organization, { externalId: 'large', body })])
    const changes = { revision: 3, chunksMax: 59 }
    expect((await decideNearest(db, query, [], changes)).changedItemIds).toBeNull()
    expect((await decideNearest(db, query, [], { ...changes, chunksMax: 60 })).changedItemIds?.size).toBe(1)
  })

  it('is known of chunks to be the same from one revision to another one, unless that is not noted any more', async () => {
    const { db } = database
    const { organization, items } = await askingOf()
    const [changed, other] = await db
      .selectFrom('source_items')
      .select(['id as itemId', 'external_id as externalId'])
      .where('organization_id', '=', organization.id)
      .limit(2)
      .execute()
    if (!changed || !other) throw new Error('nothing is stored')
    await items.write(organization.id, [
      testItem(organization, { externalId: changed.externalId, body: 'new' }),
    ])
    const areSame = (keys: { itemId: string }[], from: number): Promise<boolean> =>
      areUnchanged(
        db,
        organization.id,
        keys.map((key) => ({ ...key, position: 0 })),
        { from, to: 2 },
      )
    expect(await areSame([other], 1)).toBe(true)
    expect(await areSame([other, changed], 1)).toBe(false)
    expect(await areSame([other, changed], 2)).toBe(true)
    await db.deleteFrom('item_changes').where('organization_id', '=', organization.id).execute()
    expect(await areSame([other], 1)).toBe(false)
  })
})
