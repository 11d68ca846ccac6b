import { randomUUID } from 'node:crypto'
import { setTimeout, setImmediate } from 'node:timers/promises'
import { CompiledQuery, sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { hashEmbeddingModel } from '../../test/support/hash-embedding-model.ts'
import { manyItems, testItem } from '../../test/support/items.ts'
import { insertOrganization, type TestOrganization } from '../../test/support/organizations.ts'
import type { OpenDatabase } from '../database/database.ts'
import { openPostgres } from '../database/drivers/postgres.ts'
import { createModelRegistry, readModelState } from '../models/index.ts'
import { createItems, type Items } from '../items/index.ts'
import { changeItems } from '../item-changes/index.ts'
import { createVectorMemory, type HeldSnapshot, type VectorMemory } from './index.ts'
import { Readable } from '../kernel/viewer.ts'

/** The bytes requested from the system at a time, and the size of a block of 256 rows. Three blocks fit. */
const EXTENT = 4 * 2 ** 20
const BLOCK = 1_081_344
const MINUTE = 60_000
const ALL = { providers: null, readable: Readable.everything }
const Plan = z.array(z.object({ 'QUERY PLAN': z.string() }))
const clock = { now: () => new Date('2026-03-01T12:00:00.000Z') }
const model = hashEmbeddingModel({ dimensions: 4_000 })
const models = createModelRegistry({ configured: model, builtin: async () => model })

let database: TestDatabase
let other: OpenDatabase
let items: Items
let memory: VectorMemory
let now = 0
const errors: unknown[] = []

beforeAll(async () => {
  database = await createTestDatabase()
  other = database.url === null ? database : await openPostgres({ url: database.url })
  items = createItems({ db: database.db, models, clock })
})
afterAll(async () => {
  if (other !== database) await other.close()
  await database.close()
})
beforeEach(() => {
  memory = memoryOf(EXTENT)
  errors.length = 0
})
afterEach(() => memory.close())

function memoryOf(bytes: number): VectorMemory {
  return createVectorMemory({
    db: database.db,
    bytes,
    threads: 0,
    waits: { loadMs: MINUTE, catchUpMs: MINUTE },
    onError: (error) => errors.push(error),
    now: () => now,
  })
}

async function organizationOf(rows: number): Promise<TestOrganization> {
  const organization = await insertOrganization(database.db)
  await items.write(organization.id, manyItems(organization, rows))
  return organization
}

async function take({ id: organizationId }: TestOrganization): Promise<HeldSnapshot | null> {
  const { active } = await readModelState(database.db, organizationId)
  return await memory.take({ organizationId, modelId: active?.id ?? 0, dimensions: model.dimensions })
}

/** The rows of the organization's snapshot; null: none. */
async function rowsHeld(organization: TestOrganization): Promise<number | null> {
  const snapshot = await take(organization)
  if (snapshot === null) return null
  await snapshot.catchUp()
  const { rows } = await snapshot.snapshot.fields.select(ALL)
  snapshot.release()
  return rows
}

describe('vector snapshots', () => {
  it('evict the least recently used, but none in use', async () => {
    const [first, second, third, fourth] = [
      await organizationOf(20),
      await organizationOf(20),
      await organizationOf(20),
      await organizationOf(20),
    ]
    expect(await rowsHeld(first)).toBe(20)
    now += MINUTE
    expect(await rowsHeld(second)).toBe(20)
    expect(await rowsHeld(third)).toBe(20)
    now += 1
    // Three fit, and the others were used recently, so the first is evicted.
    expect(await rowsHeld(fourth)).toBe(20)
    expect(memory.held()).toEqual({ organizations: 3, bytes: 3 * BLOCK })
    const used = await take(second)
    now += 2 * MINUTE
    expect(await rowsHeld(first)).toBe(20)
    now += 2 * MINUTE
    expect(await rowsHeld(third)).toBe(20)
    expect((await used?.snapshot.fields.select(ALL))?.rows).toBe(20)
    const found = await used?.findCandidates(await model.embedQuery('common'), 8, ALL, null)
    expect(found?.candidates.length).toBeGreaterThan(8)
    used?.release()
    expect(errors).toEqual([])
  })

  it('leave an organization that can never fit to the database, without evicting others', async () => {
    const small = await organizationOf(20)
    expect(await rowsHeld(small)).toBe(20)
    now += MINUTE
    const large = await organizationOf(3 * 256 + 1)
    expect(await rowsHeld(large)).toBeNull()
    expect(memory.held().organizations).toBe(1)
    expect(errors).toEqual([])
  })

  it('leave an organization that no longer fits to the database', async () => {
    const organization = await organizationOf(700)
    expect(await rowsHeld(organization)).toBe(700)
    // The first of two pages does not fit.
    await items.write(
      organization.id,
      Array.from({ length: 300 }, (_, n) => testItem(organization, { externalId: `more-${n}` })),
    )
    const snapshot = await take(organization)
    expect(await snapshot?.catchUp()).toBe(false)
    snapshot?.release()
    expect(memory.held()).toEqual({ bytes: 0, organizations: 0 })
    expect(errors).toEqual([])
  })

  it('grow and shrink with the stored items and reuse freed rows', async () => {
    const organization = await organizationOf(10)
    expect(await rowsHeld(organization)).toBe(10)
    for (let round = 0; round < 8; round++) {
      await items.write(
        organization.id,
        Array.from({ length: 60 }, (_, n) =>
          testItem(organization, { externalId: `more-${n}`, body: `common ${round}` }),
        ),
      )
      expect(await rowsHeld(organization)).toBe(70)
    }
    // 70 rows, and 60 that were replaced before their space was reused.
    expect(memory.held().bytes).toBe(BLOCK)
  })

  it('drop only organizations that are deleted or being removed', async () => {
    const [kept, removed] = [await organizationOf(20), await organizationOf(20)]
    for (const one of [kept, removed]) expect(await rowsHeld(one)).toBe(20)
    const used = await take(removed)
    await memory.evictRemoved()
    expect(memory.held().organizations).toBe(2)
    await database.db
      .updateTable('organizations')
      .set({ removed_at: clock.now() })
      .where('id', '=', removed.id)
      .execute()
    await memory.evictRemoved()
    expect(memory.held()).toEqual({ organizations: 1, bytes: BLOCK })
    used?.release()
    expect(await rowsHeld(kept)).toBe(20)
    expect(errors).toEqual([])
  })

  it('are rebuilt if the changes are no longer recorded', async () => {
    const organization = await organizationOf(3)
    expect(await rowsHeld(organization)).toBe(3)
    await items.write(organization.id, [testItem(organization, { externalId: 'unseen' })])
    await database.db.deleteFrom('item_changes').where('organization_id', '=', organization.id).execute()
    await items.write(organization.id, [testItem(organization, { externalId: 'seen' })])
    const behind = await take(organization)
    expect(await behind?.catchUp()).toBe(false)
    behind?.release()
    expect(await rowsHeld(organization)).toBe(5)
  })

  it('return the previous state while changes are read, item by item', async () => {
    const organization = await organizationOf(10)
    expect(await rowsHeld(organization)).toBe(10)
    await items.write(organization.id, [testItem(organization, { externalId: 'new', body: 'common' })])
    const snapshot = await take(organization)
    const question = await model.embedQuery('common')
    const candidates = async () =>
      (await snapshot?.findCandidates(question, 20, ALL, null))?.candidates.length
    const send = database.db.executeQuery.bind(database.db)
    const told: (number | undefined)[] = []
    const plans: string[] = []
    const sending = vi.spyOn(database.db, 'executeQuery').mockImplementation(async (statement, ...rest) => {
      if ('sql' in statement && /chunk_embeddings|source_items/.test(statement.sql)) {
        told.push(await candidates())
        const explained = CompiledQuery.raw(`explain (costs off) ${statement.sql}`, [...statement.parameters])
        plans.push(...Plan.parse((await send(explained)).rows).map((row) => row['QUERY PLAN']))
      }
      return await send(statement, ...rest)
    })
    expect(await snapshot?.catchUp()).toBe(true)
    sending.mockRestore()
    expect(told).toEqual([10, 10])
    expect(await candidates()).toBe(11)
    expect(plans.join('\n')).toMatch(/Index Scan using chunk_embeddings_pkey/)
    expect(plans.filter((line) => /Seq Scan on (?:chunk|source_items)|Hash Join/.test(line))).toEqual([])
    snapshot?.release()
  })

  it('are not touched after eviction, even by callers that waited for them', async () => {
    const organization = await organizationOf(10)
    expect(await rowsHeld(organization)).toBe(10)
    await items.write(organization.id, [testItem(organization, { externalId: 'new' })])
    const snapshot = await take(organization)
    const send = database.db.executeQuery.bind(database.db)
    const asked: string[] = []
    const sending = vi.spyOn(database.db, 'executeQuery').mockImplementation(async (statement, ...rest) => {
      const text = 'sql' in statement ? statement.sql : ''
      asked.push(text)
      if (/chunk_embeddings/.test(text)) throw new Error('the connection was lost')
      return await send(statement, ...rest)
    })
    const first = snapshot?.catchUp()
    await setImmediate()
    expect([await snapshot?.catchUp(), await first]).toEqual([false, false])
    sending.mockRestore()
    expect(asked.filter((text) => /chunk_embeddings/.test(text))).toHaveLength(1)
    snapshot?.release()
    expect(errors).toEqual([new Error('the connection was lost')])
    expect(await rowsHeld(organization)).toBe(11)
  })

  it('apply the changes of at most four organizations at a time, which bounds their memory', async () => {
    await memory.close()
    memory = memoryOf(4 * EXTENT)
    const organizations = await Promise.all(Array.from({ length: 6 }, () => organizationOf(2)))
    for (const organization of organizations) {
      expect(await rowsHeld(organization)).toBe(2)
      await items.write(organization.id, [testItem(organization, { externalId: 'new' })])
    }
    const send = database.db.executeQuery.bind(database.db)
    let [under, most] = [0, 0]
    const sending = vi.spyOn(database.db, 'executeQuery').mockImplementation(async (statement, ...rest) => {
      if (!('sql' in statement && /chunk_embeddings/.test(statement.sql)))
        return await send(statement, ...rest)
      most = Math.max(most, (under += 1))
      // Long enough for the others to start if they could.
      await setTimeout(100)
      return await send(statement, ...rest).finally(() => (under -= 1))
    })
    expect(await Promise.all(organizations.map(rowsHeld))).toEqual(organizations.map(() => 3))
    sending.mockRestore()
    expect(most).toBe(4)
  })

  it('are read item by item across any number of pages', async () => {
    const organization = await organizationOf(1)
    expect(await rowsHeld(organization)).toBe(1)
    const large = Array.from({ length: 300 }, (_, n) => `# ${n}\n\n${`word${n} `.repeat(130)}.`).join('\n\n')
    await items.write(organization.id, [
      ...manyItems(organization, 100),
      testItem(organization, { externalId: 'large', body: large }),
    ])
    expect(await rowsHeld(organization)).toBe(400)
  })

  it('include a transaction that began before others and ended after them', async (context) => {
    // The embedded database runs one transaction at a time.
    if (database.url === null) return context.skip()
    const organization = await organizationOf(3)
    expect(await rowsHeld(organization)).toBe(3)
    const late = createItems({ db: other.db, models, clock })
    const begun = Promise.withResolvers<void>()
    const ends = Promise.withResolvers<void>()
    const writing = late.write(
      organization.id,
      [testItem(organization, { externalId: 'late' })],
      async () => {
        begun.resolve()
        await ends.promise
      },
    )
    await begun.promise
    await items.write(organization.id, [testItem(organization, { externalId: 'early' })])
    expect(await rowsHeld(organization)).toBe(4)
    ends.resolve()
    await writing
    expect(await rowsHeld(organization)).toBe(5)
  })
})

describe('the changes of items', () => {
  it('are recorded for the latest revisions only', async () => {
    const organization = await insertOrganization(database.db)
    const change = () =>
      changeItems(database.db, organization.id, async (_tx, changes) => changes.add([randomUUID()]))
    await change()
    // Simulates that many changes.
    await sql`
      insert into item_changes (organization_id, revision, item_ids)
      select ${organization.id}, n, '[]' from generate_series(2, 4000) as n`.execute(database.db)
    await sql`update item_revisions set revision = 4000 where organization_id = ${organization.id}`.execute(
      database.db,
    )
    for (let round = 0; round < 300; round++) await change()
    const kept = await database.db
      .selectFrom('item_changes')
      .select('revision')
      .where('organization_id', '=', organization.id)
      .execute()
    expect(kept.length).toBeGreaterThanOrEqual(2_048)
    expect(kept.length).toBeLessThan(2_304)
    expect(Math.max(...kept.map(({ revision }) => revision))).toBe(4_300)
  })

  it('are empty if a transaction failed or changed nothing', async () => {
    const organization = await insertOrganization(database.db)
    const failing = changeItems(database.db, organization.id, async (_tx, changes) => {
      changes.add([randomUUID()])
      throw new Error('given up')
    })
    await expect(failing).rejects.toThrow('given up')
    await changeItems(database.db, organization.id, async () => {})
    const noted = await database.db
      .selectFrom('item_revisions')
      .select('revision')
      .where('organization_id', '=', organization.id)
      .execute()
    expect(noted).toEqual([])
  })
})
