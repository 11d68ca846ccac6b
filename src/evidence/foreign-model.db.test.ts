import { readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { createTestDatabase } from '../../test/support/database.ts'
import { testItem } from '../../test/support/items.ts'
import { startOpenAiEmulator } from '../../test/support/openai-emulator.ts'
import { insertOrganization } from '../../test/support/organizations.ts'
import { testTerms } from '../../test/support/term-weights.ts'
import { createEmbeddingModel } from '../inference/embedding-models/create-embedding-model.ts'
import { createItems } from '../items/index.ts'
import { createModelRegistry } from '../models/index.ts'
import { createRetrieval } from '../retrieval/index.ts'
import { createEvidenceCalibrator } from './index.ts'

const clock = { now: () => new Date('2026-03-01T12:00:00.000Z') }
async function factsOf(file: string): Promise<{ title: string; text: string }[]> {
  const text = await readFile(new URL(`../../test/facts/${file}`, import.meta.url), 'utf8')
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

it('does not flag what the chunks say, measured with a model of an OpenAI-compatible server that discriminates little', async () => {
  const server = await startOpenAiEmulator({ dimensions: 1_024 })
  const database = await createTestDatabase()
  try {
    const model = await createEmbeddingModel({
      provider: 'openai',
      baseUrl: server.baseUrl,
      apiKey: 'k',
      model: 'nobody-has-calibrated-this',
      dimensions: 1_024,
    })
    const models = createModelRegistry({ configured: model, builtin: async () => null })
    const { db } = database
    const items = createItems({ db, models, clock })
    const { search } = createRetrieval({ db, models, clock, terms: testTerms })
    const faults: object[] = []
    const calibrator = createEvidenceCalibrator({
      db,
      models,
      logger: { error: (fields) => void faults.push(fields) },
    })
    const organization = await insertOrganization(db)
    const documents = await factsOf('corpus.jsonl')
    await items.write(
      organization.id,
      documents.map(({ title, text }, at) =>
        testItem(organization, { externalId: `${at}`, title, body: text }),
      ),
    )
    const weakOf = async (queries: readonly string[]): Promise<number> => {
      const found = await Promise.all(
        queries.map((query) => search(organization.caller(), { query, limit: 1 })),
      )
      return found.filter(({ isWeak }) => isWeak).length
    }
    await calibrator.calibrate()
    expect(faults).toEqual([])
    const answered = documents.slice(0, 20).map(({ text }) => text.split('. ')[0] ?? text)
    expect(await weakOf(answered)).toBeLessThanOrEqual(2)
    const { rows } = await sql`select 1 from evidence_calibrations where chunks > 0`.execute(db)
    expect(rows).toHaveLength(1)
  } finally {
    await database.close()
    await server.close()
  }
})
