import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { documentOf, push } from '../support/documents.ts'
import { startIssuer, type TestIssuer } from '../support/issuer.ts'
import { type Person, signIn } from '../support/people.ts'
import { startTestService, type TestOrganization, type TestService } from '../support/service.ts'

let issuer: TestIssuer
let service: TestService
let organization: TestOrganization
let owner: Person

beforeAll(async () => {
  issuer = await startIssuer()
  service = await startTestService({ environment: issuer.environment })
  organization = await service.organization({ status: 'active', tier: 'builder' })
  owner = await ownerOf(organization)
  await push(service, organization, documentOf(organization))
})
afterAll(async () => {
  await service.close()
  await issuer.close()
})

const ownerOf = ({ id }: TestOrganization) =>
  signIn(service, issuer, id, { organizationId: id, role: 'owner' })
const show = async (person: Person, path: string) =>
  (await service.call('GET', `/v1/console/${path}`, { key: person.token })).body

async function callTool(key: string, name: string): Promise<void> {
  const client = new Client({ name: 'test', version: '1' })
  const requestInit = { headers: { Authorization: `Bearer ${key}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), { requestInit }))
  try {
    expect(await client.callTool({ name, arguments: { query: 'paid time off' } })).not.toHaveProperty(
      'isError',
      true,
    )
  } finally {
    await client.close()
  }
}

describe('the usage by day', () => {
  it('counts every charged answer of any kind once, and sums to the credits of the period [CRED-12, CRED-2, CRED-3]', async () => {
    const key = organization.adminKey
    const body = { query: 'paid time off' }
    for (const path of ['search', 'context', 'ask']) {
      expect((await service.call('POST', `/v1/${path}`, { key, body })).status).toBe(200)
      expect((await service.call('POST', `/v1/console/${path}`, { key: owner.token, body })).status).toBe(200)
    }
    const streamed = await service.call('POST', '/v1/ask', {
      key,
      body,
      headers: { Accept: 'text/event-stream' },
    })
    expect(streamed.text).toContain('event: ')
    await Promise.all(Array.from({ length: 8 }, () => service.call('POST', '/v1/search', { key, body })))
    await callTool(key, 'search')
    // None of these is charged.
    expect((await service.call('POST', '/v1/search', { key, body: {} })).status).toBe(400)
    expect((await service.call('GET', '/v1/sources', { key })).status).toBe(200)

    const { days, totals, isCapped } = await show(owner, 'usage')
    const lines = days.map((line: Record<string, unknown>) => [
      line['surface'],
      line['apiKeyId'] ?? line['userId'],
      line['isMcp'],
      line['credits'],
    ])
    const byKey = organization.adminKeyId
    expect(lines.toSorted()).toEqual(
      [
        ['ask', byKey, false, 2],
        ['ask', owner.userId, false, 1],
        ['context', byKey, false, 1],
        ['context', owner.userId, false, 1],
        ['search', byKey, false, 9],
        ['search', byKey, true, 1],
        ['search', owner.userId, false, 1],
      ].toSorted(),
    )
    expect([totals, isCapped]).toEqual([{ requests: 16, credits: 16 }, false])
    expect((await show(owner, 'billing')).creditsUsed).toBe(16)
    const stored = await service.database.db.selectFrom('daily_usage').selectAll().execute()
    expect(JSON.stringify(stored)).not.toContain('paid')
  })

  it("is the workspace's own, and for its admins [CRED-12, CON-4]", async () => {
    const other = await service.organization({ status: 'internal' })
    await service.call('POST', '/v1/search', { key: other.adminKey, body: { query: 'x' } })
    const { days } = await show(await ownerOf(other), 'usage')
    expect(days).toMatchObject([{ apiKeyId: other.adminKeyId, requests: 1 }])
    const membership = { organizationId: other.id, role: 'member' as const }
    const member = await signIn(service, issuer, `member-of-${other.id}`, membership)
    expect(await show(member, 'usage')).toMatchObject({ code: 'role_required' })
  })
})
