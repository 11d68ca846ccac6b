import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { hashEmbeddingModel } from '../../test/support/hash-embedding-model.ts'
import { insertOrganization } from '../../test/support/organizations.ts'
import {
  adoptModel,
  createModelRegistry,
  ensureStoredModel,
  readModelState,
  warnOfOtherModels,
} from './index.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

describe('the models of an organization', () => {
  it('has none before the first vectors, then keeps the first model', async () => {
    const { id } = await insertOrganization(database.db)
    expect(await readModelState(database.db, id)).toEqual({ active: null, target: null })
    const first = await ensureStoredModel(database.db, hashEmbeddingModel({ id: 'first' }))
    const second = await ensureStoredModel(database.db, hashEmbeddingModel({ id: 'second' }))
    expect(second.id).not.toBe(first.id)
    const adopt = (modelId: number) => database.db.transaction().execute((tx) => adoptModel(tx, id, modelId))
    expect(await adopt(first.id)).toBe(first.id)
    expect(await adopt(second.id)).toBe(first.id)
    expect(await readModelState(database.db, id)).toEqual({ active: first, target: null })
  })

  it('stores a model once, even if several start with it at the same time', async () => {
    const model = hashEmbeddingModel({ id: 'at-once' })
    const stored = await Promise.all(Array.from({ length: 8 }, () => ensureStoredModel(database.db, model)))
    expect(new Set(stored.map(({ id }) => id)).size).toBe(1)
  })
})

describe('createModelRegistry', () => {
  const configured = hashEmbeddingModel({ id: 'configured' })
  const builtin = hashEmbeddingModel({ id: 'builtin-1' })

  it('finds the configured model and the built-in one, which it loads only on request', async () => {
    let loads = 0
    const models = createModelRegistry({
      configured,
      builtin: async () => {
        loads += 1
        return builtin
      },
    })
    expect(await models.find('configured')).toBe(configured)
    expect(await models.find('openai:gone:1536')).toBeNull()
    expect(loads).toBe(0)
    expect(await models.get('builtin-1')).toBe(builtin)
    expect(await models.find('builtin-0')).toBeNull()
  })

  it('rejects an unavailable model and says what to do', async () => {
    const models = createModelRegistry({ configured, builtin: async () => builtin })
    await expect(models.get('openai:gone:1536')).rejects.toMatchObject({
      code: 'embedding_model_mismatch',
      status: 409,
      details: { storedModel: 'openai:gone:1536', configuredModel: 'configured' },
      message: expect.stringMatching(/Restore the embedding settings.*POST \/v1\/maintenance\/reembed/),
    })
  })

  it('logs at start which stored vectors belong to other models and whether they still answer', async () => {
    const mine = await createTestDatabase()
    try {
      const models = createModelRegistry({ configured, builtin: async () => builtin })
      for (const model of [configured, builtin, hashEmbeddingModel({ id: 'openai:gone:8' })]) {
        const { id } = await insertOrganization(mine.db)
        const stored = await ensureStoredModel(mine.db, model)
        await mine.db.transaction().execute((tx) => adoptModel(tx, id, stored.id))
      }
      const lines: { fields: object; message: string }[] = []
      await warnOfOtherModels(mine.db, models, { warn: (fields, message) => lines.push({ fields, message }) })
      expect(lines).toEqual([
        {
          fields: { storedModel: 'builtin-1', configuredModel: 'configured', organizations: 1 },
          message: expect.stringMatching(/stays in use/),
        },
        {
          fields: { storedModel: 'openai:gone:8', configuredModel: 'configured', organizations: 1 },
          message: expect.stringMatching(/queries are refused/),
        },
      ])
      const replacing = { ...configured, replaces: ['builtin-1'] }
      const later = createModelRegistry({ configured: replacing, builtin: async () => builtin })
      await warnOfOtherModels(mine.db, later, {
        warn: (_fields, message) => lines.push({ fields: {}, message }),
      })
      expect(lines[2]?.message).toMatch(/stays in use while they move/)
    } finally {
      await mine.close()
    }
  })
})
