import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { hashEmbeddingModel } from '../../test/support/hash-embedding-model.ts'
import { testItem } from '../../test/support/items.ts'
import { insertOrganization, type TestOrganization } from '../../test/support/organizations.ts'
import { createModelRegistry } from '../models/index.ts'
import { loadTermWeights, type TermWeights } from '../inference/term-weights.ts'
import { createItems, type Items } from '../items/index.ts'
import { systemClock } from '../kernel/clock.ts'
import { createCanvasWorker } from './index.ts'

let database: TestDatabase
let items: Items
let terms: TermWeights
let organization: TestOrganization

beforeAll(async () => {
  database = await createTestDatabase()
  terms = await loadTermWeights()
  const model = hashEmbeddingModel()
  const models = createModelRegistry({ configured: model, builtin: async () => model })
  items = createItems({ db: database.db, clock: systemClock, models })
  organization = await insertOrganization(database.db)
})
afterAll(() => database.close())

/** Reads all waiting items with the given rules and word weights. @returns how many */
async function readBy(rules: string, weights: TermWeights): Promise<number> {
  let count = 0
  const fail = (fields: object): void => {
    throw new Error(`nothing may fail: ${JSON.stringify(fields)}`)
  }
  const worker = createCanvasWorker({
    db: database.db,
    terms: weights,
    rules,
    logger: { warn: fail, error: fail },
    isBusy: () => false,
    onRead: (read) => (count += read),
  })
  await worker.readWaiting()
  await worker.stop()
  return count
}

async function store(ids: readonly string[]): Promise<void> {
  await items.write(
    organization.id,
    ids.map((externalId) => testItem(organization, { externalId, body: 'We saw Zephyr with Grace Hopper.' })),
  )
}

async function itemsNaming(key: string): Promise<number | undefined> {
  const { rows } = await sql<{ items: number }>`
    select t.items from entity_totals t
    join entities e on e.organization_id = t.organization_id and e.id = t.entity_id
    where e.organization_id = ${organization.id} and e.key = ${key}`.execute(database.db)
  return rows[0]?.items
}

/** Sources with how many of their items each rule version read. */
async function readByRules(): Promise<unknown[]> {
  const { rows } = await sql`
    select name, items from entity_names
    where organization_id = ${organization.id} and entity_id = source_id order by name`.execute(database.db)
  return rows
}

describe('items read by earlier rules', () => {
  it('are read once more by the current rules', async () => {
    await store(Array.from({ length: 120 }, (_, n) => `i${n}`))
    expect(await readBy('rules 0', { ...terms, backgroundWeight: () => 0 })).toBe(120)
    expect(await itemsNaming('topic:zephyr')).toBeUndefined()
    await store(['new'])
    expect(await readBy('rules 1', terms)).toBe(121)
    expect(await itemsNaming('topic:zephyr')).toBe(121)
    expect(await itemsNaming('name:grace hopper')).toBe(121)
    expect(await readByRules()).toEqual([{ name: 'rules 1', items: 121 }])
    expect(await readBy('rules 1', terms)).toBe(0)
  })

  it('include those read before rules were recorded', async () => {
    await sql`update item_entities set names = '{}' where role = 'source'`.execute(database.db)
    await sql`delete from entity_names where entity_id = source_id`.execute(database.db)
    expect(await readBy('rules 1', terms)).toBe(121)
    expect(await readByRules()).toEqual([{ name: 'rules 1', items: 121 }])
  })

  it('are read by a later attempt when one fails', async () => {
    await sql`
      create or replace function fail() returns trigger language plpgsql as 'begin raise exception ''no room''; end'`.execute(
      database.db,
    )
    await sql`create or replace trigger fail before insert on item_entities execute function fail()`.execute(
      database.db,
    )
    const failures: object[] = []
    const worker = createCanvasWorker({
      db: database.db,
      terms,
      rules: 'rules 2',
      logger: { warn: () => {}, error: (fields: object) => void failures.push(fields) },
      isBusy: () => false,
      onRead: () => {},
    })
    await worker.readWaiting()
    expect(failures).toHaveLength(1)
    await sql`drop trigger fail on item_entities`.execute(database.db)
    await worker.readWaiting()
    await worker.stop()
    expect(await readByRules()).toEqual([{ name: 'rules 2', items: 121 }])
  })

  it('are read when the lease of a process that died while reading them expires', async () => {
    const lease = (expiry: ReturnType<typeof sql>) =>
      sql`update canvas_work set lease_id = gen_random_uuid(), lease_expires_at = now() + ${expiry}`.execute(
        database.db,
      )
    const fail = (fields: object): void => {
      throw new Error(`nothing may fail: ${JSON.stringify(fields)}`)
    }
    const worker = createCanvasWorker({
      db: database.db,
      terms,
      rules: 'rules 3',
      logger: { warn: fail, error: fail },
      isBusy: () => false,
      onRead: () => {},
    })
    await lease(sql`interval '1 hour'`)
    await worker.readWaiting()
    expect(await readByRules()).toEqual([{ name: 'rules 2', items: 121 }])
    await lease(sql`interval '-1 second'`)
    await worker.readWaiting()
    await worker.stop()
    expect(await readByRules()).toEqual([{ name: 'rules 3', items: 121 }])
  })
})
