import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { hashEmbeddingModel } from '../../test/support/hash-embedding-model.ts'
import { testItem } from '../../test/support/items.ts'
import { insertOrganization, type TestOrganization } from '../../test/support/organizations.ts'
import { createModelRegistry, readModelState, type StoredModel } from '../embeddings/index.ts'
import { createItems } from '../items/index.ts'
import { changeItems, createVectorMemory, type VectorMemory } from '../vector-memory/index.ts'
import { readRevision } from '../vector-memory/read-rows.ts'
import { createFindNearest } from './find-in-memory.ts'
import { findNearest, type NearestQuery } from './find-nearest.ts'

const model = hashEmbeddingModel({ dimensions: 512 })
const ITEMS = 60

let database: TestDatabase
let statements = 0
let organization: TestOrganization
let active: StoredModel
let memory: VectorMemory

beforeAll(async () => {
  database = await createTestDatabase(() => void (statements += 1))
  const { db } = database
  organization = await insertOrganization(db)
  const models = createModelRegistry({ configured: model, builtin: async () => model })
  const items = createItems({ db, models, clock: { now: () => new Date('2026-03-01T12:00:00.000Z') } })
  const written = Array.from({ length: ITEMS }, (_, number) =>
    testItem(organization, {
      externalId: `${number}`,
      provider: number % 2 === 0 ? 'notion' : 'slack',
      body: `apple bridge number ${number}`,
      metadata: { team: 'people' },
    }),
  )
  await items.write(organization.id, written)
  const state = await readModelState(db, organization.id)
  if (state.active === null) throw new Error('nothing is stored')
  active = state.active
  memory = createVectorMemory({
    db,
    bytes: 64 * 2 ** 20,
    threads: 1,
    patience: { loadMs: 60_000, followMs: 60_000 },
    onError: (error) => {
      throw error
    },
  })
})
afterAll(async () => {
  await memory.close()
  await database.close()
})

async function queryOf(asked: Partial<NearestQuery> = {}): Promise<NearestQuery> {
  return {
    organizationId: organization.id,
    model: active,
    vector: await model.embedQuery('apple bridge'),
    limit: 8,
    meaning: null,
    providers: null,
    filter: {},
    entityIds: null,
    seenRevision: await readRevision(database.db, organization.id),
    ...asked,
  }
}

async function statementsOf(act: () => Promise<unknown>): Promise<number> {
  const before = statements
  await act()
  return statements - before
}

async function untilKnown(ask: () => Promise<unknown>): Promise<void> {
  await expect.poll(() => statementsOf(ask), { timeout: 20_000 }).toBe(0)
}

/** Marks the source of a provider as removed, or takes that back, as a change of the items. */
async function mark(removedAt: Date | null): Promise<void> {
  await changeItems(database.db, organization.id, async (tx, changes) => {
    await tx
      .updateTable('sources')
      .set({ removed_at: removedAt })
      .where('organization_id', '=', organization.id)
      .where('provider', '=', 'slack')
      .execute()
    changes.addNone()
  })
}

describe('what is known of chunks', () => {
  it('is believed as before once a source was removed, whose items are not told', async () => {
    const held = createFindNearest({ db: database.db, memory })
    const all = await queryOf({ limit: ITEMS })
    await held(all)
    await untilKnown(() => held(all))
    await mark(new Date())
    const query = await queryOf()
    const expected = await findNearest(database.db, query)
    for (let time = 0; time < 8; time++) {
      expect(await held(query)).toMatchObject({ chunks: expected.state === 'found' && expected.chunks })
      // Each time all is known again.
      const others = await queryOf({ limit: ITEMS, providers: ['notion'] })
      await held(others)
    }
    await mark(null)
    const after = await queryOf({ limit: ITEMS })
    await held(after)
    await untilKnown(() => held(after))
  })

  it('is in scope of the last of keys of a filter that are stored as the same', async () => {
    const held = createFindNearest({ db: database.db, memory })
    const filter = { metadata: { 'team\0': 'nobody', team: 'people' } }
    const query = await queryOf({ filter })
    const expected = await findNearest(database.db, query)
    expect(expected).toMatchObject({ state: 'found', chunks: { length: 8 } })
    await held(query)
    await untilKnown(() => held(query))
    expect(await held(query)).toMatchObject({ chunks: expected.state === 'found' && expected.chunks })
  })
})
