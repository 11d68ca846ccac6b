import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { testItem } from '../../test/support/items.ts'
import { insertOrganization, type TestOrganization } from '../../test/support/organizations.ts'
import { createModelRegistry } from '../models/index.ts'
import { loadBuiltinModel } from '../inference/embedding-models/builtin/builtin.ts'
import { loadTermWeights } from '../inference/term-weights.ts'
import { createItems, type Items } from '../items/index.ts'
import { createRetrieveContext, type ContextServices } from '../context/index.ts'
import { createRetrieval, type SearchFor } from '../retrieval/index.ts'

const clock = { now: () => new Date('2026-03-01T12:00:00.000Z') }
const POLICY = 'Employees accrue 25 days of paid time off per year. Unused days expire in March.'

let database: TestDatabase
let items: Items
let retrieval: ReturnType<typeof createRetrieval>
let context: ContextServices['context']

beforeAll(async () => {
  database = await createTestDatabase()
  const models = createModelRegistry({
    configured: await loadBuiltinModel(),
    builtin: () => loadBuiltinModel(),
  })
  items = createItems({ db: database.db, models, clock })
  const deps = { db: database.db, models, clock, terms: await loadTermWeights() }
  retrieval = createRetrieval(deps)
  context = createRetrieveContext({ ...deps, search: retrieval.search })
})
afterAll(() => database.close())

async function remembering(...bodies: string[]): Promise<TestOrganization> {
  const organization = await insertOrganization(database.db)
  await items.write(
    organization.id,
    bodies.map((body, at) => testItem(organization, { externalId: `${at}`, title: 'Handbook', body })),
  )
  return organization
}

async function isWeak(of: TestOrganization, query: string, asked: Partial<SearchFor> = {}): Promise<boolean> {
  return (await retrieval.search(of.caller(), { query, limit: 8, ...asked })).isWeak
}

describe('weak evidence', () => {
  it('is reported by a memory of one document for a greeting and other subjects, but not for what it answers', async () => {
    const single = await remembering(POLICY)
    for (const query of ['hello', 'thanks!', 'Who won the football world cup in 2022?'])
      expect([query, await isWeak(single, query)]).toEqual([query, true])
    expect(await isWeak(single, 'How many days of paid time off do I get?')).toBe(false)
  })

  it.each(['hello', 'Hi there!', 'Thank you.', 'Guten Morgen'])(
    'is reported for "%s", however near a passage',
    async (greeting) => {
      const memory = await remembering(`The program prints "${greeting}".`, greeting)
      expect(await isWeak(memory, greeting)).toBe(true)
      expect(await isWeak(memory, `What prints "${greeting}"?`)).toBe(false)
    },
  )

  it('is not reported for a question in another language that its translated words answer', async () => {
    const many = await remembering(
      POLICY,
      'The canteen opens at noon and serves lunch until two.',
      ...Array.from({ length: 30 }, (_, at) => `Room ${at} has a projector, a whiteboard and chairs.`),
    )
    for (const query of ['Wann öffnet die Kantine?', '¿Cuántos días de vacaciones tienen los empleados?'])
      expect([query, await isWeak(many, query)]).toEqual([query, false])
    for (const query of ['Wer hat die Weltmeisterschaft gewonnen?', '¿Quién ganó las elecciones?'])
      expect([query, await isWeak(many, query)]).toEqual([query, true])
  })

  it('is not reported for a word that the model does not know, if a passage has it', async () => {
    const many = await remembering(
      `A zuffle lifts the sail. ${Array.from({ length: 30 }, (_, at) => `Crew ${at} boards the boat.`).join(' ')}`,
      ...Array.from({ length: 60 }, (_, at) => `Room ${at} has a projector, a whiteboard and chairs.`),
    )
    expect(await isWeak(many, 'What is a zuffle?', { rank: 'reading' })).toBe(false)
    expect(await isWeak(many, 'What is a wimbrel?', { rank: 'reading' })).toBe(true)
  })

  it('is the same for every order and limit, so that search, context and ask agree', async () => {
    const many = await remembering(
      POLICY,
      ...Array.from(
        { length: 40 },
        (_, at) => `Room ${at} of the office has a projector, a whiteboard and chairs.`,
      ),
    )
    for (const query of ['How many days of paid time off do I get?', 'Who won the football world cup?']) {
      const whole = await isWeak(many, query)
      for (const rank of ['vector', 'hybrid', 'reading'] as const)
        for (const limit of [1, 25]) expect(await isWeak(many, query, { rank, limit })).toBe(whole)
      const origin = { requestId: '00000000-0000-4000-8000-000000000000', path: '/v1/context' }
      const { limitations } = await context(many.caller(), { query, limit: 8 }, origin)
      expect(limitations.map(({ code }) => code)).toEqual(whole ? ['weak_evidence'] : [])
    }
  })

  it('does not depend on anything out of scope', async () => {
    const alone = await remembering(POLICY)
    const shared = await remembering(POLICY)
    await items.write(
      shared.id,
      Array.from({ length: 300 }, (_, at) =>
        testItem(shared, {
          provider: 'slack',
          externalId: `${at}`,
          title: 'Cup',
          body: `The world cup of 2022, part ${at}`,
        }),
      ),
    )
    for (const query of [
      'Who won the world cup in 2022?',
      'unused leave',
      'days per year',
      'office chairs',
    ]) {
      const seen = async (of: TestOrganization): Promise<boolean> =>
        (await retrieval.search(of.caller(['notion']), { query, limit: 8 })).isWeak
      expect([query, await seen(shared)]).toEqual([query, await seen(alone)])
    }
  })

  it('is not reported if nothing is stored or in scope', async () => {
    const empty = await insertOrganization(database.db)
    expect(await isWeak(empty, 'hello')).toBe(false)
    expect(await isWeak(await remembering(POLICY), 'hello', { filter: { providers: ['slack'] } })).toBe(false)
  })
})
