import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEmbeddingModel } from '../../src/inference/embedding-models/create-embedding-model.ts'
import { PROVIDERS } from '../../src/providers/index.ts'
import type { ProviderId } from '../../src/kernel/providers.ts'
import { documentOf, push } from '../support/documents.ts'
import { hashEmbeddingModel } from '../support/hash-embedding-model.ts'
import { startTestService, type TestOrganization, type TestService } from '../support/service.ts'

let service: TestService

beforeAll(async () => {
  service = await startTestService({ embeddingModel: hashEmbeddingModel({ id: 'hash-1' }) })
})
afterAll(() => service.close())

const retrieve = (on: TestService, key: string, path = '/v1/search') =>
  on.call('POST', path, { key, body: { query: 'paid time off', limit: 25 } })

describe('two organizations with the same documents', () => {
  it('get each their own, within the scope of the key, from every retrieval [SEA-9, SEA-4, ASK-10]', async () => {
    const both = await Promise.all([service.organization(), service.organization()])
    const owners = new Map<string, { organization: TestOrganization; provider: ProviderId }>()
    for (const organization of both) {
      const documents = PROVIDERS.flatMap((provider) =>
        [1, 2].map((n) => documentOf(organization, { provider, externalId: `same-${n}` })),
      )
      await push(service, organization, ...documents)
      const { hits } = (await retrieve(service, organization.adminKey)).body
      expect(hits).toHaveLength(documents.length)
      for (const { sourceItemId, provider } of hits) owners.set(sourceItemId, { organization, provider })
    }
    expect(owners.size).toBe(2 * 2 * PROVIDERS.length)

    const scopes = fc.option(fc.uniqueArray(fc.constantFrom(...PROVIDERS), { minLength: 1 }))
    const paths = fc.constantFrom('/v1/search', '/v1/context', '/v1/ask')
    const property = fc.asyncProperty(
      fc.constantFrom(...both),
      scopes,
      paths,
      async (organization, scope, path) => {
        const { secret } = await organization.mint({ providers: scope })
        const { body } = await retrieve(service, secret, path)
        const items: { sourceItemId: string }[] = body.hits ?? body.context
        expect(items).toHaveLength(2 * (scope ?? PROVIDERS).length)
        for (const { sourceItemId } of items) {
          const owner = owners.get(sourceItemId)
          expect(owner?.organization).toBe(organization)
          expect(scope ?? PROVIDERS).toContain(owner?.provider)
        }
      },
    )
    await fc.assert(property, { numRuns: 25 })
  })
})

describe('vectors of two embedding models', () => {
  it('are never mixed: a service that cannot load the stored model refuses [SEA-8]', async () => {
    const organization = await service.organization()
    await push(service, organization, documentOf(organization))
    const other = await startTestService({
      database: service.database,
      embeddingModel: hashEmbeddingModel({ id: 'hash-2' }),
    })
    try {
      for (const path of ['/v1/search', '/v1/context', '/v1/ask']) {
        expect(await retrieve(other, organization.adminKey, path)).toMatchObject({
          status: 409,
          body: { code: 'embedding_model_mismatch' },
        })
      }
      expect((await retrieve(service, organization.adminKey)).body.hits).toHaveLength(1)
    } finally {
      await other.close()
    }
  })

  it('are never mixed: one that can load it answers with it, and says so [SEA-8, CTX-11]', async () => {
    const builtin = await startTestService({
      database: service.database,
      embeddingModel: await createEmbeddingModel({ provider: 'builtin' }),
    })
    try {
      const organization = await service.organization()
      await push(builtin, organization, documentOf(organization))
      const stored = await retrieve(builtin, organization.adminKey, '/v1/context')
      expect(stored.body.limitations).toEqual([])
      const { hits, limitations } = (await retrieve(service, organization.adminKey, '/v1/context')).body
      expect(hits).toEqual(stored.body.hits)
      expect(limitations).toMatchObject([{ code: 'embedding_fallback' }])
    } finally {
      await builtin.close()
    }
  })
})
