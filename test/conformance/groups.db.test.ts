import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { documentOf, push } from '../support/documents.ts'
import { type Answer, startTestService, type TestOrganization, type TestService } from '../support/service.ts'

let service: TestService
let organization: TestOrganization

beforeAll(async () => {
  service = await startTestService()
  organization = await service.organization()
})
afterAll(() => service.close())

const call = (method: string, path: string, body?: unknown): Promise<Answer> =>
  service.call(method, `/v1/groups${path}`, { key: organization.adminKey, body })

async function finds(email: string): Promise<boolean> {
  const body = { query: 'zebra ledger', onBehalfOf: { email } }
  const answer = await service.call('POST', '/v1/search', { key: organization.adminKey, body })
  return answer.body.hits.length > 0
}

describe('a group', () => {
  it('lets its members read what names it, from the next request on', async () => {
    await push(
      service,
      organization,
      documentOf(organization, {
        externalId: 'ledger',
        title: 'Zebra ledger',
        body: 'zebra ledger',
        metadata: { accessPolicy: { visibility: 'restricted', groups: ['finance'] } },
      }),
    )
    expect(await finds('ada@example.com')).toBe(false)
    const put = await call('PUT', '/finance', {
      name: 'Finance',
      members: ['Ada@example.com', 'bob@example.com'],
    })
    expect([put.status, put.body.group]).toMatchObject([
      200,
      {
        id: 'finance',
        name: 'Finance',
        origin: 'api',
        memberCount: 2,
        members: ['ada@example.com', 'bob@example.com'],
      },
    ])
    expect(await finds('ada@EXAMPLE.com')).toBe(true)
    await call('PUT', '/finance', { members: ['bob@example.com'] })
    expect([await finds('ada@example.com'), await finds('bob@example.com')]).toEqual([false, true])
    const { body } = await call('GET', '/finance')
    expect(body.group).toMatchObject({ name: 'Finance', members: ['bob@example.com'] })
    const deleted = await call('DELETE', '/finance')
    expect([deleted.status, deleted.body.group.id]).toEqual([200, 'finance'])
    expect(await finds('bob@example.com')).toBe(false)
    expect((await call('GET', '/finance')).status).toBe(404)
  })

  it('records events of its changes, without addresses', async () => {
    const { body } = await service.call('GET', '/v1/audit-events?limit=3', { key: organization.adminKey })
    expect(body.auditEvents.map(({ action }: { action: string }) => action)).toEqual([
      'search.retrieve',
      'group.delete',
      'search.retrieve',
    ])
    expect(JSON.stringify(body.auditEvents[1].metadata)).not.toContain('@')
  })

  it('is found by its address in any case', async () => {
    await call('PUT', '/Team@Example.com', { members: [] })
    expect((await call('GET', '/team@example.COM')).body.group.id).toBe('team@example.com')
  })

  it.each(['%20x', '~hidden', 'a'.repeat(257), 'b7c1a3de-2f64-4d0b-9a58-6e1f0c9d2a41%2FC1', '%0a'])(
    'cannot have the id %s',
    async (id) => {
      expect((await call('PUT', `/${id}`, { members: [] })).status).toBe(404)
    },
  )

  it('has at most ten thousand members, all of them addresses', async () => {
    expect((await call('PUT', '/x', { members: ['nobody'] })).status).toBe(400)
    const many = Array.from({ length: 10_001 }, (_, n) => `p${n}@example.com`)
    expect((await call('PUT', '/x', { members: many })).status).toBe(400)
    const most = await call('PUT', '/x', { members: many.slice(1) })
    expect([most.status, most.body.group?.memberCount], most.text.slice(0, 200)).toEqual([200, 10_000])
  })

  it('is changed by no key that is limited to some providers, because it decides who reads all of them', async () => {
    const { secret: key } = await organization.mint({ actions: ['admin'], providers: ['slack'] })
    const asScoped = (method: string, body?: unknown): Promise<Answer> =>
      service.call(method, '/v1/groups/board', { key, body })
    await call('PUT', '/board', { members: ['ada@example.com'] })
    for (const refused of [await asScoped('PUT', { members: [] }), await asScoped('DELETE')])
      expect([refused.status, refused.body.code]).toEqual([403, 'provider_not_allowed'])
    expect((await asScoped('GET')).body.group.members).toEqual(['ada@example.com'])
  })

  it('is listed once on one page, newest first', async () => {
    const other = await service.organization()
    const asOther = (method: string, path: string, body?: unknown) =>
      service.call(method, `/v1/groups${path}`, { key: other.adminKey, body })
    for (let n = 0; n < 5; n++) await asOther('PUT', `/g${n}`, { members: [`m${n}@example.com`] })
    const ids: string[] = []
    let cursor = ''
    do {
      const { body } = await asOther('GET', `?limit=2${cursor}`)
      for (const group of body.groups) ids.push(group.id)
      cursor = body.nextCursor === null ? '' : `&cursor=${body.nextCursor}`
    } while (cursor !== '')
    expect(ids).toEqual(['g4', 'g3', 'g2', 'g1', 'g0'])
  })
})
