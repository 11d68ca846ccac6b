import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { hashEmbeddingModel } from '../../test/support/hash-embedding-model.ts'
import { testItem } from '../../test/support/items.ts'
import { insertOrganization, type TestOrganization } from '../../test/support/organizations.ts'
import { createModelRegistry } from '../models/index.ts'
import { loadTermWeights } from '../inference/term-weights.ts'
import { createItems, type Items, type NewItem } from '../items/index.ts'
import { systemClock } from '../kernel/clock.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import { createCanvasWorker, createMemoryCanvas } from './index.ts'

let database: TestDatabase
let items: Items
let canvas: ReturnType<typeof createMemoryCanvas>
let readAll: () => Promise<void>
const { signal } = new AbortController()

beforeAll(async () => {
  database = await createTestDatabase()
  const { db } = database
  const model = hashEmbeddingModel()
  const models = createModelRegistry({ configured: model, builtin: async () => model })
  items = createItems({ db, clock: systemClock, models })
  canvas = createMemoryCanvas({ db, clock: systemClock, findItems: async () => [] })
  const fail = (fields: object): void => {
    throw new Error(`nothing may fail: ${JSON.stringify(fields)}`)
  }
  const logger = { warn: fail, error: fail }
  const terms = await loadTermWeights()
  readAll = async () => {
    const worker = createCanvasWorker({ db, terms, logger, onRead: () => {}, isBusy: () => false })
    await worker.readWaiting()
    await worker.stop()
  }
})
afterAll(() => database.close())

interface Written {
  by?: string
  body: string
  provider?: ProviderId
}

/** Stores and reads items; authors have a name and an address. */
async function remember(of: TestOrganization, ...written: Written[]): Promise<void> {
  await write(
    of,
    written.map(({ by, body, provider = 'notion' }) => ({
      provider,
      sourceKind: provider === 'slack' ? 'message' : 'document',
      body,
      authorName: by === undefined ? null : `${by} <${by.toLowerCase().replace(' ', '.')}@corp.com>`,
    })),
  )
}

async function write(of: TestOrganization, values: readonly Partial<NewItem>[]): Promise<void> {
  await items.write(
    of.id,
    values.map((value, at) => testItem(of, { externalId: `${at}`, title: 'Notes', ...value })),
  )
  await readAll()
}

const times = <T>(count: number, one: T): T[] => Array.from({ length: count }, () => one)

/** The people and topics that a caller sees, with their weights. */
async function seen(of: TestOrganization, scope?: ProviderId[]): Promise<string[]> {
  const { nodes } = await canvas.draw(of.caller(scope), { limit: 50 }, signal)
  return nodes
    .filter(({ type }) => type === 'person' || type === 'topic')
    .map(({ type, label, weight }) => `${type} ${label} ${weight}`)
    .toSorted()
}

describe('a given name used alone in a text', () => {
  it('belongs to the person who has it and shows the full name', async () => {
    const organization = await insertOrganization(database.db)
    await remember(
      organization,
      { by: 'Kemi Okafor', body: 'The budget is done.' },
      ...times(2, { body: 'We asked Kemi about the budget.' }),
    )
    expect(await seen(organization)).toEqual(['person Kemi Okafor 3'])
    const { nodes } = await canvas.draw(organization.caller(), { limit: 5, q: 'kemi' }, signal)
    expect(nodes.map(({ label }) => label)).toEqual(['Kemi Okafor'])
    const { entity } = await canvas.describe(organization.caller(), nodes[0]?.id ?? '')
    expect(entity).toMatchObject({ label: 'Kemi Okafor', weight: 3 })
    expect(entity.aliases).toContain('Kemi')
  })

  it('belongs to that person as a handle too, whatever the provider, unless two have it', async () => {
    const organization = await insertOrganization(database.db)
    const texts = [
      { by: 'Hugo Brandt', body: 'The budget is done.' },
      { body: 'Ask @hugo for it.', provider: 'slack' as const },
    ]
    await remember(organization, ...texts)
    expect(await seen(organization)).toEqual(['person Hugo Brandt 2'])
    const { nodes } = await canvas.draw(organization.caller(), { limit: 5, q: 'hugo' }, signal)
    expect(nodes.map(({ label }) => label)).toEqual(['Hugo Brandt'])
    await remember(organization, ...texts, { by: 'Hugo Weber', body: 'Seen.' })
    expect(await seen(organization)).toEqual([
      'person @hugo 1',
      'person Hugo Brandt 1',
      'person Hugo Weber 1',
    ])
  })

  it('belongs to the one who clearly writes most, or to no one', async () => {
    const organization = await insertOrganization(database.db)
    const asked = times(2, { body: 'We asked Kemi about the budget.' })
    await remember(
      organization,
      ...times(2, { by: 'Kemi Okafor', body: 'The budget is done.' }),
      { by: 'Kemi Adeyemi', body: 'So is the plan.' },
      ...asked,
    )
    expect(await seen(organization)).toEqual(['person Kemi Adeyemi 1', 'person Kemi Okafor 4'])
    const both = await insertOrganization(database.db)
    await remember(
      both,
      { by: 'Kemi Okafor', body: 'The budget is done.' },
      { by: 'Kemi Adeyemi', body: 'So is the plan.' },
      ...asked,
    )
    expect(await seen(both)).toEqual(['person Kemi Adeyemi 1', 'person Kemi Okafor 1'])
  })

  it('stays a topic if far more items use it than the person wrote or is named in', async () => {
    const organization = await insertOrganization(database.db)
    await remember(
      organization,
      { by: 'Zephyr Okafor', body: 'The budget is done.' },
      ...times(4, { body: 'The launch of Zephyr is in May.' }),
    )
    expect(await seen(organization)).toEqual(['person Zephyr Okafor 1', 'topic Zephyr 4'])
  })

  it('stays a topic around another entity too, however few items are there', async () => {
    const organization = await insertOrganization(database.db)
    await remember(
      organization,
      { by: 'Zephyr Okafor', body: 'The budget is done.' },
      { by: 'Grace Hopper', body: 'The launch of Zephyr is in May.' },
      ...times(3, { body: 'The launch of Zephyr is in May.' }),
    )
    const { nodes } = await canvas.draw(organization.caller(), { limit: 5, q: 'grace hopper' }, signal)
    const around = await canvas.draw(organization.caller(), { limit: 50, around: nodes[0]?.id }, signal)
    const named = around.nodes.filter(({ label }) => label.startsWith('Zephyr'))
    expect(named.map(({ type, label, weight }) => `${type} ${label} ${weight}`)).toEqual(['topic Zephyr 1'])
  })

  it('does not reveal people out of scope', async () => {
    const organization = await insertOrganization(database.db)
    await remember(
      organization,
      { by: 'Kemi Okafor', body: 'The budget is done.', provider: 'slack' },
      ...times(2, { body: 'We asked Kemi about the budget.' }),
    )
    expect(await seen(organization, ['notion'])).toEqual(['topic Kemi 2'])
    expect(await seen(organization)).toEqual(['person Kemi Okafor 3'])
  })
})

describe('a name', () => {
  it('belongs to the person of an address even if many items name them without it', async () => {
    const organization = await insertOrganization(database.db)
    await remember(
      organization,
      ...times(4, { by: 'Farid Okafor', body: 'The budget is done.' }),
      ...times(3, { body: 'Farid Okafor said so to Grace Hopper.', by: 'Grace Hopper' }),
      ...times(2, { body: 'Owner | Due\nFarid Okafor | Monday' }),
    )
    const people = await seen(organization)
    expect(people.filter((one) => one.includes('Farid'))).toEqual(['person Farid Okafor 9'])
  })
})

describe('a handle', () => {
  it('belongs in each provider to the address that appears with it there', async () => {
    const organization = await insertOrganization(database.db)
    const values = (['gmail', 'notion', 'slack'] as const).flatMap((provider) => [
      { provider, authorName: 'Zqxor <owner@corp.com>' },
      { provider, authorName: 'Zqxor' },
    ])
    await write(organization, values)
    expect(await seen(organization, ['notion'])).toEqual(['person @Zqxor 2'])
    expect(await seen(organization)).toEqual(['person @Zqxor 6'])
  })
})
