import { describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../../test/support/database.ts'
import { hashEmbeddingModel } from '../../../test/support/hash-embedding-model.ts'
import { manyItems } from '../../../test/support/items.ts'
import { insertOrganization } from '../../../test/support/organizations.ts'
import { createRouteServer } from '../../../test/support/route-server.ts'
import { createItems } from '../../items/index.ts'
import { systemClock } from '../../kernel/clock.ts'
import { createModelRegistry } from '../model-registry.ts'
import { createModelMove } from './model-move.ts'
import { modelMoveRoutes } from './routes.ts'

describe('POST and GET /v1/maintenance/reembed', () => {
  it('start a re-embedding and show its progress', async () => {
    const database = await createTestDatabase()
    const organization = await insertOrganization(database.db)
    const oldModel = hashEmbeddingModel({ id: 'old' })
    const newModel = hashEmbeddingModel({ id: 'new' })
    const models = createModelRegistry({ configured: newModel, builtin: async () => oldModel })
    const before = createModelRegistry({ configured: oldModel, builtin: async () => null })
    const clock = systemClock
    const logger = { info: () => {}, warn: () => {}, error: () => {} }
    const items = createItems({ db: database.db, models, clock })
    const modelMove = createModelMove({ db: database.db, models, clock, logger, works: false })
    await createItems({ db: database.db, models: before, clock }).write(
      organization.id,
      manyItems(organization, 2),
    )
    const server = await createRouteServer(
      modelMoveRoutes,
      { modelMove },
      new Map([['key', organization.caller()]]),
    )
    try {
      const call = async (method: 'GET' | 'POST') => {
        const headers = { authorization: 'Bearer key' }
        const response = await server.inject({ method, url: '/v1/maintenance/reembed', headers })
        expect(response.statusCode).toBe(200)
        return response.json()
      }
      expect(await call('GET')).toMatchObject({ status: 'idle', model: 'old', startedAt: null })
      const started = await call('POST')
      expect(started).toMatchObject({ status: 'running', model: 'new', chunksTotal: 2, chunksDone: 0 })
      expect(await call('GET')).toEqual(started)
      await modelMove.resume()
      expect(await call('GET')).toMatchObject({ status: 'succeeded', chunksTotal: 2, chunksDone: 2 })
      expect(await items.write(organization.id, manyItems(organization, 2))).toEqual({
        ingested: 0,
        skipped: 2,
      })
    } finally {
      await server.close()
      await database.close()
    }
  })
})
