import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { type OpenAiEmulator, startOpenAiEmulator } from '../../../test/support/openai-emulator.ts'
import { manyItems, testItem } from '../../../test/support/items.ts'
import { insertOrganization, type TestOrganization } from '../../../test/support/organizations.ts'
import { testTerms } from '../../../test/support/term-weights.ts'
import type { OpenDatabase } from '../../database/database.ts'
import { openPostgres } from '../../database/drivers/postgres.ts'
import { createModelRegistry } from '../model-registry.ts'
import type { EmbeddingModel } from '../../inference/embedding-model.ts'
import { createEmbeddingModel } from '../../inference/embedding-models/create-embedding-model.ts'
import { createItems, type NewItem } from '../../items/index.ts'
import { systemClock } from '../../kernel/clock.ts'
import { createRetrieval } from '../../retrieval/index.ts'
import { createModelMove } from './model-move.ts'

let database: TestDatabase
let other: OpenDatabase
let emulator: OpenAiEmulator
let organization: TestOrganization
const errors: string[] = []
const logger = {
  info: () => {},
  warn: () => {},
  error: (_fields: object, message: string) => errors.push(message),
}

beforeAll(async () => {
  database = await createTestDatabase()
  other = database.url === null ? database : await openPostgres({ url: database.url })
  organization = await insertOrganization(database.db)
  emulator = await startOpenAiEmulator({ dimensions: 128 })
})
afterAll(async () => {
  await emulator.close()
  if (other !== database) await other.close()
  await database.close()
})

const newItem = (externalId: string, body: string): NewItem => testItem(organization, { externalId, body })

/** Vectors stored of each model, and the number of chunks. */
async function stored(): Promise<{ models: Record<string, number>; chunks: number }> {
  const { rows } = await sql<{ name: string; count: number }>`
    select m.name, count(*)::int as count from chunk_embeddings e join embedding_models m on m.id = e.embedding_model_id
    where e.organization_id = ${organization.id} group by m.name`.execute(database.db)
  const chunks = await database.db
    .selectFrom('chunks')
    .select('position')
    .where('organization_id', '=', organization.id)
    .execute()
  return { models: Object.fromEntries(rows.map(({ name, count }) => [name, count])), chunks: chunks.length }
}

describe('moving from the built-in model to an OpenAI-compatible server and back, under load', () => {
  it('fails no search, mixes no models, misses nothing stored, and leaves every item right', async () => {
    const builtin = await createEmbeddingModel({ provider: 'builtin' })
    const remote = await createEmbeddingModel({
      provider: 'openai',
      baseUrl: emulator.baseUrl,
      model: 'emulated',
    })
    const make = (configured: EmbeddingModel, db = database.db) => {
      const both = createModelRegistry({ configured, builtin: async () => builtin })
      // Simulates the settings of the way back, where searches can still use the remote model.
      const models = {
        ...both,
        find: async (name: string) => (name === remote.id ? remote : await both.find(name)),
        get: async (name: string) => (name === remote.id ? remote : await both.get(name)),
      }
      return {
        items: createItems({ db, models, clock: systemClock }),
        search: createRetrieval({ db, models, clock: systemClock, terms: testTerms }).search,
        modelMove: createModelMove({ db, models, clock: systemClock, logger, works: false }),
      }
    }
    await make(builtin).items.write(organization.id, [
      ...manyItems(organization, 150),
      newItem('anchor', 'The zanzibar lighthouse is always here'),
    ])
    const expected = new Map(manyItems(organization, 150).map(({ externalId, body }) => [externalId, body]))
    expected.set('anchor', 'The zanzibar lighthouse is always here')

    for (const configured of [remote, builtin]) {
      const { items, search, modelMove } = make(configured)
      const second = make(configured, other.db)
      const load = { on: true }
      const searches = { count: 0, models: new Set<string | null>() }
      const searching = async (): Promise<void> => {
        while (load.on) {
          // The embedded database answers synchronously, so nothing else would run.
          await setImmediate()
          const answer = await search(organization.caller(), { query: 'zanzibar lighthouse', limit: 3 })
          searches.count += 1
          searches.models.add(answer.model)
          expect(answer.hits[0]?.title).toBe('anchor')
        }
      }
      const writing = async (): Promise<void> => {
        for (let round = 0; load.on; round++) {
          const id = `page-${round % 40}`
          const body = `common round ${round} of ${configured.id} ${randomUUID()}`
          await second.items.write(organization.id, [newItem(id, body)])
          expected.set(id, body)
          const gone = `page-${40 + (round % 40)}`
          if (expected.delete(gone)) {
            await items.remove(organization.caller(), { provider: 'notion', externalId: gone })
          } else {
            await items.write(organization.id, [newItem(gone, `common back ${round}`)])
            expected.set(gone, `common back ${round}`)
          }
        }
      }
      const done = Promise.all([searching(), writing()])
      await modelMove.start(organization.caller())
      await Promise.all([modelMove.resume(), second.modelMove.resume()])
      load.on = false
      await done
      expect(searches.count).toBeGreaterThan(0)
      expect([remote.id, builtin.id]).toEqual(expect.arrayContaining([...searches.models]))
      expect(await modelMove.status(organization.id)).toMatchObject({
        status: 'succeeded',
        model: configured.id,
        answeringModel: configured.id,
      })
      expect(await stored()).toEqual({ models: { [configured.id]: expected.size }, chunks: expected.size })
    }
    const rows = await database.db
      .selectFrom('source_items')
      .select(['external_id', 'body'])
      .where('organization_id', '=', organization.id)
      .execute()
    expect(new Map(rows.map((row) => [row.external_id, row.body]))).toEqual(expected)
    expect(errors).toEqual([])
  })
})
