import type { KyselyPlugin } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { hashEmbeddingModel } from '../../test/support/hash-embedding-model.ts'
import { testItem } from '../../test/support/items.ts'
import { insertOrganization, type TestOrganization } from '../../test/support/organizations.ts'
import type { Db } from '../database/database.ts'
import { loadTermWeights } from '../inference/term-weights.ts'
import { createItems, type Items, type NewItem } from '../items/index.ts'
import { systemClock } from '../kernel/clock.ts'
import { createModelRegistry } from '../models/index.ts'
import { createCanvasWorker, createMemoryCanvas } from './index.ts'
import type { CanvasNode } from './schemas.ts'

let database: TestDatabase
let items: Items

beforeAll(async () => {
  database = await createTestDatabase()
  const model = hashEmbeddingModel()
  const models = createModelRegistry({ configured: model, builtin: async () => model })
  items = createItems({ db: database.db, clock: systemClock, models })
})
afterAll(() => database.close())

type Values = Partial<NewItem>

async function store(...values: Values[]): Promise<TestOrganization> {
  const organization = await insertOrganization(database.db)
  await items.write(
    organization.id,
    values.map((value, n) => testItem(organization, { externalId: `i${n}`, title: 'x', ...value })),
  )
  const fail = (fields: object): void => {
    throw new Error(`nothing may fail: ${JSON.stringify(fields)}`)
  }
  const worker = createCanvasWorker({
    db: database.db,
    terms: await loadTermWeights(),
    logger: { warn: fail, error: fail },
    onRead: () => undefined,
    isBusy: () => false,
  })
  await worker.readWaiting()
  await worker.stop()
  return organization
}

const canvas = (db: Db = database.db) =>
  createMemoryCanvas({ db, clock: systemClock, findItems: async () => [] })
const { signal } = new AbortController()

const letter = (n: number): string => String.fromCodePoint(97 + Math.floor(n))

describe('the limit', () => {
  it('holds with an entity in the center', async () => {
    const item = { body: 'Ask Zephyr, Acme Ltd.', authorName: 'Grace Hopper', metadata: { folder: 'Plans' } }
    const organization = await store(item, item)
    const draw = async (query: object): Promise<CanvasNode[]> =>
      (await canvas().draw(organization.caller(), { limit: 50, ...query }, signal)).nodes
    const around = (await draw({})).find(({ label }) => label === 'Zephyr')?.id
    for (const limit of [1, 2, 3, 4, 5]) {
      const ids = (await draw({ limit, around })).map(({ id }) => id)
      expect(ids).toHaveLength(limit)
      expect(ids).toContain(around)
    }
  })
})

describe('a mailbox that many people send from', () => {
  it('is shown by its address, and few of its names are loaded', async () => {
    const organization = await store(
      ...Array.from({ length: 70 }, (_, n) => ({
        body: 'Hi.',
        authorName: `Zq${letter(n % 26)}${letter(n / 26)}xor Lovelace <invitations@corp.com>`,
      })),
    )
    const rows: number[] = []
    const counting: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        rows.push(result.rows.length)
        return result
      },
    }
    const { nodes } = await canvas(database.db.withPlugin(counting)).draw(
      organization.caller(),
      { limit: 50 },
      signal,
    )
    const people = nodes.filter(({ type }) => type === 'person')
    expect(people).toEqual([expect.objectContaining({ label: 'invitations@corp.com', weight: 70 })])
    expect(Math.max(...rows)).toBeLessThan(70)
  })

  it('is shown by the name that is clearly the most frequent', async () => {
    const names = ['Ada Lovelace', 'Ada King', 'Ada Byron', 'Augusta Ada Byron', 'Ada Lovelace']
    const organization = await store(
      ...names.map((name) => ({ body: 'Hi.', authorName: `${name} <ada@corp.com>` })),
    )
    const { nodes } = await canvas().draw(organization.caller(), { limit: 50 }, signal)
    expect(nodes.filter(({ type }) => type === 'person').map(({ label }) => label)).toEqual(['Ada Lovelace'])
  })
})

describe('a part of the canvas with many topics', () => {
  const since = new Date(0)
  let draw: (query: object) => Promise<string[]>

  beforeAll(async () => {
    const topics = Array.from({ length: 60 }, (_, n) => `Zq${letter(n % 26)}${letter(n / 26)}xor`)
    const organization = await store(
      ...Array.from({ length: 12 }, (_, n) => ({
        body: topics
          .slice((n % 6) * 10, (n % 6) * 10 + 10)
          .map((name) => `We saw ${name} there.`)
          .join('\n\n'),
      })),
      { body: 'Hi.', authorName: 'Grace Hopper <grace@zqlast.com>', metadata: { folder: 'Plans' } },
    )
    const drawn = canvas()
    draw = async (query) => {
      const { nodes } = await drawn.draw(organization.caller(), { limit: 8, ...query }, signal)
      return nodes.filter(({ kind }) => kind === 'entity').map(({ label }) => label)
    }
  })

  it('has its few people, organizations and channels too', async () => {
    for (const query of [{}, { since }])
      expect(await draw(query)).toEqual(expect.arrayContaining(['Grace Hopper', 'zqlast.com', 'Plans']))
  })

  it('has those of one kind', async () => {
    for (const query of [{}, { since }]) {
      expect(await draw({ ...query, entityType: 'person' })).toEqual(['Grace Hopper'])
      expect(await draw({ ...query, entityType: 'organization', q: 'zq', limit: 1 })).toEqual(['zqlast.com'])
      expect(await draw({ ...query, entityType: 'topic' })).toHaveLength(8)
    }
  })
})
