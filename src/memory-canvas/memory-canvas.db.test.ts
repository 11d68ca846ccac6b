import { changeItems } from '../item-changes/index.ts'
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createModelRegistry } from '../models/index.ts'
import { loadTermWeights, type TermWeights } from '../inference/term-weights.ts'
import { createItems, dropClaims, type Items } from '../items/index.ts'
import { systemClock } from '../kernel/clock.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { hashEmbeddingModel } from '../../test/support/hash-embedding-model.ts'
import { deleteNamed, testItem } from '../../test/support/items.ts'
import { insertOrganization, insertSource, type TestOrganization } from '../../test/support/organizations.ts'
import { type CanvasWorker, createCanvasWorker, createMemoryCanvas } from './index.ts'

let database: TestDatabase
let items: Items
let terms: TermWeights

beforeAll(async () => {
  database = await createTestDatabase()
  terms = await loadTermWeights()
  const model = hashEmbeddingModel()
  const models = createModelRegistry({ configured: model, builtin: async () => model })
  items = createItems({ db: database.db, clock: systemClock, models })
})
afterAll(() => database.close())

function newWorker(onRead: (count: number) => void = () => {}, isBusy = () => false): CanvasWorker {
  const fail = (fields: object): void => {
    throw new Error(`nothing may fail: ${JSON.stringify(fields)}`)
  }
  return createCanvasWorker({ db: database.db, terms, logger: { warn: fail, error: fail }, onRead, isBusy })
}

/** Reads all waiting items of every organization. */
async function readAll(): Promise<void> {
  const worker = newWorker()
  await worker.readWaiting()
  await worker.stop()
}

const NAMES = [
  'Orion',
  'Zephyr',
  'Grace Hopper',
  'Alan Turing',
  'Acme Ltd',
  'bob@corp.com',
  'Kubernetes',
  'Ada Lovelace',
]

const bodyOf = (n: number): string =>
  `We saw ${NAMES[n % 8]} with ${NAMES[(n * 3 + 1) % 8]} and ${NAMES[(n * 5 + 2) % 8]}.`

/** The stored counts, and the counts recomputed from the mentions. */
async function counted(organizationId: string): Promise<{ stored: unknown; recounted: unknown }> {
  const rows = async (query: ReturnType<typeof sql>): Promise<string[]> =>
    (await query.execute(database.db)).rows.map((row) => JSON.stringify(row)).toSorted()
  const stored = [
    await rows(
      sql`select source_id, entity_id, items, authored from entity_totals where organization_id = ${organizationId}`,
    ),
    await rows(
      sql`select source_id, entity_id, name, items from entity_names where organization_id = ${organizationId}`,
    ),
    await rows(sql`select id from entities where organization_id = ${organizationId}`),
  ]
  const recounted = [
    await rows(sql`
      select source_id, entity_id, count(*)::int as items, (count(*) filter (where role = 'author'))::int as authored
      from item_entities where organization_id = ${organizationId} group by 1, 2`),
    await rows(sql`
      select source_id, entity_id, name, count(*)::int as items from item_entities cross join unnest(names) as name
      where organization_id = ${organizationId} group by 1, 2, 3`),
    await rows(
      sql`select distinct entity_id as id from item_entities where organization_id = ${organizationId}`,
    ),
  ]
  return { stored, recounted }
}

async function expectRightCounts({ id }: TestOrganization): Promise<void> {
  const { stored, recounted } = await counted(id)
  expect(stored).toEqual(recounted)
}

describe('the counts', () => {
  it('match the stored items after any mix of ingests, changes, moves and deletions', async () => {
    const organization = await insertOrganization(database.db)
    const other = await insertSource(database.db, organization.id, { provider: 'notion' })
    const write = (...values: { n: number; body?: string; sourceId?: string }[]) =>
      items.write(
        organization.id,
        values.map(({ n, body = bodyOf(n), ...more }) =>
          testItem(organization, {
            externalId: `i${n}`,
            title: `Plan ${n}`,
            body,
            authorName: NAMES[(n % 3) + 2] ?? null,
            ...more,
          }),
        ),
      )
    await write(...Array.from({ length: 26 }, (_, n) => ({ n })))
    await readAll()
    await expectRightCounts(organization)
    for (let round = 0; round < 4; round++) {
      await write(
        { n: round },
        { n: round + 6, body: bodyOf(round + 50) },
        { n: round + 12, sourceId: other },
      )
      if (round % 2 === 0) await readAll()
      await deleteNamed(database.db, organization.id, [`i${round + 20}`, `i${round + 6}`, 'unknown'])
      await expectRightCounts(organization)
    }
    await readAll()
    await expectRightCounts(organization)
  })

  it('drop names that only earlier content had', async () => {
    const organization = await insertOrganization(database.db)
    const write = (body: string) =>
      items.write(organization.id, [testItem(organization, { externalId: 'a', body })])
    await write('Ask Ada Lovelace <ada@corp.com> first.')
    await readAll()
    await write('Ask ada@corp.com first.')
    await readAll()
    await expectRightCounts(organization)
  })

  it('move with an item to the source that still has it when another releases it', async () => {
    const organization = await insertOrganization(database.db)
    const [first, second] = [
      await insertSource(database.db, organization.id, { provider: 'notion', push_only: false }),
      await insertSource(database.db, organization.id, { provider: 'notion', push_only: false }),
    ]
    await items.write(organization.id, [
      testItem(organization, { externalId: 'both', body: bodyOf(1), sourceId: first }),
      testItem(organization, { externalId: 'one', body: bodyOf(2), sourceId: first }),
    ])
    const rows = await database.db
      .selectFrom('source_items')
      .select(['id', 'external_id'])
      .where('organization_id', '=', organization.id)
      .execute()
    for (const { id, external_id } of rows) {
      for (const source_id of external_id === 'both' ? [first, second] : [first]) {
        await database.db
          .insertInto('synced_items')
          .values({ organization_id: organization.id, source_id, external_id, source_item_id: id })
          .execute()
      }
    }
    await readAll()
    await changeItems(database.db, organization.id, (tx, changes) =>
      dropClaims(
        tx,
        changes,
        { organizationId: organization.id, sourceId: first },
        ['both', 'one'],
        new Date(),
      ),
    )
    await expectRightCounts(organization)
    await readAll()
    await expectRightCounts(organization)
    const left = await database.db
      .selectFrom('entity_totals')
      .select(['source_id'])
      .distinct()
      .where('organization_id', '=', organization.id)
      .execute()
    expect(left).toEqual([{ source_id: second }])
  })

  it('stay right when items are deleted while being read', async () => {
    const organization = await insertOrganization(database.db)
    const ids = Array.from({ length: 40 }, (_, n) => `i${n}`)
    await items.write(
      organization.id,
      ids.map((externalId, n) => testItem(organization, { externalId, body: bodyOf(n) })),
    )
    const workers = [newWorker(), newWorker()]
    const reading = Promise.all(workers.map((worker) => worker.readWaiting()))
    for (const externalId of ids.slice(0, 15)) await deleteNamed(database.db, organization.id, [externalId])
    await reading
    await Promise.all(workers.map((worker) => worker.stop()))
    await readAll()
    await expectRightCounts(organization)
  })
})

describe('a worker', () => {
  it('leaves the rest to the next worker after a crash, without counting anything twice', async () => {
    const organization = await insertOrganization(database.db)
    await items.write(
      organization.id,
      Array.from({ length: 60 }, (_, n) => testItem(organization, { externalId: `i${n}`, body: bodyOf(n) })),
    )
    let read = 0
    const first = newWorker((count) => {
      read += count
      void first.stop()
    })
    await first.readWaiting()
    await first.stop()
    expect(read).toBeGreaterThan(0)
    expect(read).toBeLessThan(60)
    // Simulates a crash: the lease was not released and has expired.
    await sql`
      update canvas_work set lease_id = ${randomUUID()}, lease_expires_at = now() - interval '1 second'
      where organization_id = ${organization.id}`.execute(database.db)
    await expectRightCounts(organization)
    await readAll()
    const total = await database.db
      .selectFrom('entity_totals')
      .select('items')
      .where('organization_id', '=', organization.id)
      .where('entity_id', '=', organization.sourceIds.notion)
      .executeTakeFirst()
    expect(total?.items).toBe(60)
    await expectRightCounts(organization)
  })

  it('reads everything even if requests never stop', async () => {
    const organization = await insertOrganization(database.db)
    await items.write(
      organization.id,
      Array.from({ length: 12 }, (_, n) => testItem(organization, { externalId: `i${n}`, body: bodyOf(n) })),
    )
    const batches: number[] = []
    const worker = newWorker(
      (count) => batches.push(count),
      () => true,
    )
    await worker.readWaiting()
    await worker.stop()
    expect(batches.reduce((sum, count) => sum + count, 0)).toBe(12)
    expect(batches.length).toBeGreaterThan(1)
    await expectRightCounts(organization)
  })

  it('writes nothing once another process holds its lease', async () => {
    const organization = await insertOrganization(database.db)
    await items.write(organization.id, [testItem(organization, { externalId: 'a', body: bodyOf(1) })])
    await sql`
      insert into canvas_work (organization_id, lease_id, lease_expires_at)
      values (${organization.id}, gen_random_uuid(), now() + interval '1 hour')`.execute(database.db)
    await readAll()
    expect((await counted(organization.id)).stored).toEqual([[], [], []])
  })

  it('skips an item that it cannot read and reports it', async () => {
    const organization = await insertOrganization(database.db)
    await items.write(organization.id, [
      testItem(organization, { externalId: 'bad', title: 'Zephyr', body: bodyOf(1) }),
      testItem(organization, { externalId: 'good', body: 'About Orion and Grace Hopper.' }),
    ])
    const told: object[] = []
    const failing: TermWeights = {
      ...terms,
      tokenize(text) {
        if (text === 'Zephyr') throw new Error('cannot be read')
        return terms.tokenize(text)
      },
    }
    const logger = {
      warn: (fields: object) => void told.push(fields),
      error: (fields: object) => void told.push(fields),
    }
    const worker = createCanvasWorker({
      db: database.db,
      terms: failing,
      logger,
      onRead: () => {},
      isBusy: () => false,
    })
    await worker.readWaiting()
    await worker.stop()
    expect(told).toEqual([expect.objectContaining({ organizationId: organization.id })])
    const canvas = createMemoryCanvas({ db: database.db, clock: systemClock, findItems: async () => [] })
    const { nodes, complete } = await canvas.draw(
      organization.caller(),
      { limit: 50 },
      new AbortController().signal,
    )
    expect(complete).toBe(true)
    expect(nodes.map(({ label }) => label)).toContain('Grace Hopper')
  })
})

describe('a cached graph', () => {
  it('is returned until an item is read or deleted', async () => {
    const organization = await insertOrganization(database.db)
    const write = (n: number) =>
      items.write(organization.id, [testItem(organization, { externalId: `i${n}`, body: bodyOf(n) })])
    await write(1)
    await write(2)
    await readAll()
    const canvas = createMemoryCanvas({ db: database.db, clock: systemClock, findItems: async () => [] })
    const { signal } = new AbortController()
    const draw = (providers: readonly ProviderId[] | null = null) =>
      canvas.draw(organization.caller(providers), { limit: 50 }, signal)
    const first = await draw()
    expect((await draw()).nodes).toBe(first.nodes)
    expect((await draw(['slack'])).nodes).toEqual([])

    await write(3)
    // The item is waiting, so the graph has not changed.
    expect((await draw()).nodes).toBe(first.nodes)
    expect((await draw()).itemsWaiting).toBe(1)
    await readAll()
    const second = await draw()
    expect(second.nodes).not.toEqual(first.nodes)
    await deleteNamed(database.db, organization.id, ['i3'])
    const third = await draw()
    expect(third.nodes).toEqual(first.nodes)
    expect(third.nodes).not.toBe(first.nodes)
  })
})
