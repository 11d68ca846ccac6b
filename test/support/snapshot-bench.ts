import { expect } from 'vitest'
import { nearestQuery } from './nearest-query.ts'
import { createModelRegistry, readModelState } from '../../src/models/index.ts'
import { createItems, type NewItem } from '../../src/items/index.ts'
import type { NearestQuery } from '../../src/retrieval/nearest-query.ts'
import { createVectorMemory, type VectorMemory } from '../../src/vector-memory/index.ts'
import { readRevision } from '../../src/vector-memory/read-snapshot.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { hashEmbeddingModel } from './hash-embedding-model.ts'
import { insertOrganization, type TestOrganization } from './organizations.ts'

/** An organization with items whose vectors are in memory, and a counter of database statements. */
export interface SnapshotBench {
  database: TestDatabase
  organization: TestOrganization
  memory: VectorMemory
  write(items: readonly NewItem[]): Promise<void>
  /** The query of an admitted key for the nearest eight. */
  queryOf(words: string, asked?: Partial<NearestQuery>): Promise<NearestQuery>
  /** The number of statements sent during `act`. */
  statementsOf(act: () => Promise<unknown>): Promise<number>
  /** Repeats until no statement is sent: chunks are loaded in the background. */
  untilCached(ask: () => Promise<unknown>): Promise<void>
  /** Waits until the background work that searches have started has ended. */
  untilIdle(): Promise<void>
  close(): Promise<void>
}

/** @param itemsOf the organization's stored items */
export async function startSnapshotBench(
  itemsOf: (organization: TestOrganization) => NewItem[],
): Promise<SnapshotBench> {
  let statements = 0
  const database = await createTestDatabase(() => void (statements += 1))
  const { db } = database
  const model = hashEmbeddingModel({ dimensions: 512 })
  const organization = await insertOrganization(db)
  const models = createModelRegistry({ configured: model, builtin: async () => model })
  const clock = { now: () => new Date('2026-03-01T12:00:00.000Z') }
  const items = createItems({ db, models, clock })
  await items.write(organization.id, itemsOf(organization))
  const { active } = await readModelState(db, organization.id)
  if (active === null) throw new Error('nothing is stored')
  const background = new Set<Promise<void>>()
  const memory = withTracking(background, {
    db,
    bytes: 64 * 2 ** 20,
    threads: 1,
    waits: { loadMs: 60_000, catchUpMs: 60_000 },
    onError: (error) => {
      throw error
    },
  })
  const statementsOf = async (act: () => Promise<unknown>): Promise<number> => {
    const before = statements
    await act()
    return statements - before
  }
  return {
    database,
    organization,
    memory,
    write: async (more) => void (await items.write(organization.id, more)),
    queryOf: async (words, asked = {}) =>
      nearestQuery({
        organizationId: organization.id,
        model: active,
        vector: await model.embedQuery(words),
        seenRevision: await readRevision(db, organization.id),
        ...asked,
      }),
    statementsOf,
    async untilCached(ask) {
      await expect.poll(() => statementsOf(ask), { timeout: 20_000 }).toBe(0)
    },
    async untilIdle() {
      while (background.size > 0) await Promise.all(background)
    },
    async close() {
      await memory.close()
      await database.close()
    },
  }
}

/** A memory that lists the background work of its snapshots while it runs. */
function withTracking(
  background: Set<Promise<void>>,
  options: Parameters<typeof createVectorMemory>[0],
): VectorMemory {
  const memory = createVectorMemory(options)
  return {
    ...memory,
    async take(of) {
      const held = await memory.take(of)
      if (held === null) return null
      const begin = held.inBackground.bind(held)
      const inBackground: typeof begin = (act) =>
        begin(async (signal) => {
          const work = act(signal)
          background.add(work)
          await work.finally(() => background.delete(work))
        })
      return Object.defineProperty(held, 'inBackground', { value: inBackground })
    },
  }
}
