import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestService, type TestOrganization, type TestService } from '../support/service.ts'

let service: TestService
let organization: TestOrganization

beforeAll(async () => {
  service = await startTestService()
  organization = await service.organization()
})

afterAll(() => service.close())

describe('the main job', () => {
  it('answers from a document ingested just before, as hits, as a contract and as a cited answer', async () => {
    const key = organization.adminKey
    const ingested = await service.call('POST', '/v1/ingest', {
      key,
      body: {
        documents: [
          {
            connectorId: organization.sources.notion,
            provider: 'notion',
            sourceKind: 'document',
            externalId: 'pto',
            title: 'PTO policy',
            body: 'Employees accrue 25 days of paid time off per year. Unused days expire in March.',
          },
        ],
      },
    })
    expect(ingested).toMatchObject({ status: 200, body: { ingested: 1, skipped: 0 } })
    const query = 'paid time off days'
    const search = await service.call('POST', '/v1/search', { key, body: { query } })
    expect(search).toMatchObject({
      status: 200,
      body: { query, hits: [{ title: 'PTO policy', url: '', provider: 'notion' }] },
    })
    const context = await service.call('POST', '/v1/context', { key, body: { query } })
    expect(context).toMatchObject({
      status: 200,
      body: { query: { raw: query, limit: 8 }, citations: [{ index: 1, title: 'PTO policy' }] },
    })
    const ask = await service.call('POST', '/v1/ask', {
      key,
      body: { query: 'How many days of paid time off?' },
    })
    expect(ask.body.answer).toMatch(/25 days.*\[1\]/)
    const audit = await service.call('GET', '/v1/audit-events', { key })
    expect(audit.body.auditEvents).toMatchObject([
      { action: 'ask.retrieve' },
      { action: 'context.retrieve', targetId: context.body.contract.requestId },
      { action: 'search.retrieve' },
      { action: 'source_item.ingest' },
    ])
  })
})
