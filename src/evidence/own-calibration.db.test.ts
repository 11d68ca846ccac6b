import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { testItem } from '../../test/support/items.ts'
import { insertOrganization, type TestOrganization } from '../../test/support/organizations.ts'
import { testTerms } from '../../test/support/term-weights.ts'
import { createModelRegistry } from '../models/index.ts'
import type { EmbeddingModel } from '../inference/embedding-model.ts'
import { loadBuiltinModel } from '../inference/embedding-models/builtin/builtin.ts'
import { createItems, type Items } from '../items/index.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import { createRetrieval } from '../retrieval/index.ts'
import { createEvidenceCalibrator, type EvidenceCalibrator } from './index.ts'
import { FOREIGN_QUESTIONS } from './foreign-questions.ts'
import { findStored, type StoredCalibration } from './store.ts'

const clock = { now: () => new Date('2026-03-01T12:00:00.000Z') }
/** On other subjects than `test/facts`, and not among the service's own questions. */
const NONSENSE = [
  'Which orchids grow in the shade?',
  'Who sang at the opening of La Scala?',
  'How do I get rid of snails in my vegetable garden?',
  'What did medieval knights eat for breakfast?',
  'Which comet passed Jupiter in 1994?',
  'How do I bake a cherry pie?',
  'Which chess opening did Kasparov prefer?',
  'How many legs has a lobster?',
  'Where do swallows spend the winter?',
  'Who was the last emperor of China?',
]

let database: TestDatabase
let items: Items
let retrieval: ReturnType<typeof createRetrieval>
let calibrator: EvidenceCalibrator
let model: EmbeddingModel
let facts: { documents: { title: string; text: string }[]; questions: string[] }
const faults: object[] = []

beforeAll(async () => {
  database = await createTestDatabase()
  model = await strangeModel()
  const models = createModelRegistry({ configured: model, builtin: async () => null })
  items = createItems({ db: database.db, models, clock })
  retrieval = createRetrieval({ db: database.db, models, clock, terms: testTerms })
  const logger = { error: (fields: object) => void faults.push(fields) }
  calibrator = createEvidenceCalibrator({ db: database.db, models, logger })
  facts = {
    documents: await linesOf('corpus.jsonl'),
    questions: (await linesOf('queries.jsonl')).map(({ text }) => text).filter((_, at) => at % 3 === 0),
  }
})
afterAll(() => database.close())

/** An uncalibrated model whose scores lie between .7 and 1, like those of some neural models. */
async function strangeModel(): Promise<EmbeddingModel> {
  const builtin = await loadBuiltinModel()
  const narrowed = (vector: Float32Array): Float32Array =>
    Float32Array.from([...vector.map((value) => value * Math.sqrt(0.3)), Math.sqrt(0.7)])
  return {
    id: 'strange:1',
    dimensions: builtin.dimensions + 1,
    embedQuery: async (query, signal) => narrowed(await builtin.embedQuery(query, signal)),
    embedDocuments: async (documents, signal) =>
      (await builtin.embedDocuments(documents, signal)).map(narrowed),
  }
}

async function linesOf(file: string): Promise<{ title: string; text: string }[]> {
  const text = await readFile(new URL(`../../test/facts/${file}`, import.meta.url), 'utf8')
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

async function remember(
  of: TestOrganization,
  provider: ProviderId,
  documents: readonly { title: string; text: string }[],
): Promise<void> {
  await items.write(
    of.id,
    documents.map(({ title, text }, at) =>
      testItem(of, { provider, externalId: `${at}`, title, body: text }),
    ),
  )
}

const numbered = (count: number, about: string): { title: string; text: string }[] =>
  Array.from({ length: count }, (_, at) => ({
    title: `${about} ${at}`,
    text: `This is part ${at} of ${about}.`,
  }))

async function stored(
  of: TestOrganization,
  providers: ProviderId[] | null = null,
): Promise<StoredCalibration[]> {
  const { id: modelId } = await database.db
    .selectFrom('embedding_models')
    .select('id')
    .where('name', '=', model.id)
    .executeTakeFirstOrThrow()
  return await findStored(database.db, { organizationId: of.id, modelId }, providers)
}

async function flagged(
  of: TestOrganization,
  questions: readonly string[],
  scope: ProviderId[] | null = null,
): Promise<string[]> {
  const weak: string[] = []
  for (const query of questions) {
    const { isWeak } = await retrieval.search(of.caller(scope ?? undefined), { query, limit: 1 })
    if (isWeak) weak.push(query)
  }
  return weak
}

describe('an uncalibrated model', () => {
  it('is measured over the stored chunks and then flags most foreign questions and hardly any answerable one', async () => {
    const organization = await insertOrganization(database.db)
    await remember(organization, 'notion', facts.documents)
    expect(await flagged(organization, NONSENSE)).toEqual([])
    await calibrator.calibrate()
    expect(FOREIGN_QUESTIONS).not.toEqual(expect.arrayContaining(NONSENSE))
    expect((await flagged(organization, NONSENSE)).length).toBeGreaterThanOrEqual(7)
    expect((await flagged(organization, facts.questions)).length).toBeLessThanOrEqual(
      0.05 * facts.questions.length,
    )
    expect(faults).toEqual([])
  })

  it('is not measured over few chunks', async () => {
    const organization = await insertOrganization(database.db)
    await remember(organization, 'notion', facts.documents.slice(0, 20))
    await calibrator.calibrate()
    expect(await stored(organization)).toEqual([])
    expect(await flagged(organization, NONSENSE)).toEqual([])
  })

  it('is measured again once the chunks double, and its calibration is deleted when few are left', async () => {
    const organization = await insertOrganization(database.db)
    const measuredAt = async (chunks: number): Promise<number | undefined> => {
      await remember(organization, 'notion', numbered(chunks, 'the manual'))
      await calibrator.calibrate()
      return (await stored(organization))[0]?.chunks
    }
    expect(await measuredAt(60)).toBe(60)
    expect(await measuredAt(119)).toBe(60)
    expect(await measuredAt(120)).toBe(120)
    await sql`delete from source_items where organization_id = ${organization.id} and external_id not like '1%'`.execute(
      database.db,
    )
    await calibrator.calibrate()
    expect(await stored(organization)).toEqual([])
  })

  it('is measured by the lease holder, or by another process once the lease has expired', async () => {
    const organization = await insertOrganization(database.db)
    await remember(organization, 'notion', numbered(60, 'the manual'))
    await calibrator.calibrate()
    const change = (to: string) =>
      sql`update evidence_calibrations set chunks = 0, threshold = null, lease_id = ${randomUUID()},
        lease_expires_at = statement_timestamp() + ${to}::interval
        where organization_id = ${organization.id}`.execute(database.db)
    await change('1 minute')
    await calibrator.calibrate()
    expect(await stored(organization)).toEqual([])
    await change('-1 second')
    await calibrator.calibrate()
    expect(await stored(organization)).toMatchObject([{ chunks: 60 }])
  })

  it('is measured again after its server failed, which is logged', async () => {
    const organization = await insertOrganization(database.db)
    await remember(organization, 'notion', numbered(60, 'the manual'))
    const failing = { ...model, embedQuery: () => Promise.reject(new Error('away')) }
    const models = createModelRegistry({ configured: failing, builtin: async () => null })
    const logged: object[] = []
    const logger = { error: (fields: object) => void logged.push(fields) }
    await createEvidenceCalibrator({ db: database.db, models, logger }).calibrate()
    expect(logged).toContainEqual(expect.objectContaining({ organizationId: organization.id }))
    expect(await stored(organization)).toEqual([])
    await calibrator.calibrate()
    expect(await stored(organization)).toMatchObject([{ chunks: 60 }])
  })
})

describe('the calibration that a key uses', () => {
  it('does not depend on anything out of its scope', async () => {
    const alone = await insertOrganization(database.db)
    const shared = await insertOrganization(database.db)
    // Few enough that all chunks are measured, not a sample.
    const documents = facts.documents.slice(0, 60)
    await remember(alone, 'notion', documents)
    await remember(shared, 'notion', documents)
    // Near the nonsense, so that it would change the threshold.
    await remember(
      shared,
      'slack',
      [...NONSENSE, ...FOREIGN_QUESTIONS].map((text, at) => ({ title: `${at}`, text })),
    )
    await calibrator.calibrate()
    const [before] = await stored(alone, ['notion'])
    const [after] = await stored(shared, ['notion'])
    expect(after?.chunks).toBe(before?.chunks)
    expect(after?.level).toBeCloseTo(before?.level ?? NaN, 9)
    expect(after?.threshold).toBeCloseTo(before?.threshold ?? NaN, 9)
    const questions = [...NONSENSE, ...facts.questions.slice(0, 20)]
    expect(await flagged(shared, questions, ['notion'])).toEqual(await flagged(alone, questions, ['notion']))
    // Proves that scope matters: a key with everything in scope finds the nonsense stored word for word.
    expect((await flagged(shared, NONSENSE)).length).toBeLessThan((await flagged(alone, NONSENSE)).length)
  })

  it('does not exist if its providers have too little, whatever others have', async () => {
    const organization = await insertOrganization(database.db)
    await remember(organization, 'slack', facts.documents)
    await remember(organization, 'notion', facts.documents.slice(0, 5))
    await calibrator.calibrate()
    expect((await flagged(organization, NONSENSE, ['slack'])).length).toBeGreaterThan(0)
    expect(await flagged(organization, NONSENSE, ['notion'])).toEqual([])
  })
})
