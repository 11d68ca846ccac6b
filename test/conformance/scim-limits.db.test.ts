import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startIssuer, type TestIssuer } from '../support/issuer.ts'
import { signIn } from '../support/people.ts'
import { type Answer, startTestService, type TestOrganization, type TestService } from '../support/service.ts'

let issuer: TestIssuer
let service: TestService
let organization: TestOrganization
let token: string

beforeAll(async () => {
  issuer = await startIssuer()
  service = await startTestService({ environment: issuer.environment })
  organization = await service.organization()
  const owner = await signIn(service, issuer, 'owner', { organizationId: organization.id, role: 'owner' })
  const made = await service.call('POST', '/v1/console/scim-tokens', {
    key: owner.token,
    body: { name: 'Okta' },
  })
  token = made.body.secret
})
afterAll(async () => {
  await service.close()
  await issuer.close()
})

const scim = (method: string, path: string, body?: unknown): Promise<Answer> =>
  service.call(method, `/scim/v2${path}`, { key: token, body })

describe('a filter with text that cannot be stored', () => {
  it.each(['/Users?filter=userName', '/Groups?filter=displayName'])('is refused at %s', async (path) => {
    for (const text of [String.raw`\u0000`, String.raw`\ud800`]) {
      const refused = await scim('GET', `${path}${encodeURIComponent(` eq "${text}"`)}`)
      expect([refused.status, refused.body.scimType]).toEqual([400, 'invalidFilter'])
    }
  })
})

describe('a large request', () => {
  it('is refused: an externalId over 500 characters, and over 1,000 changes in one PATCH', async () => {
    const { body } = await scim('POST', '/Groups', { displayName: 'Small' })
    const change = (...operations: object[]) =>
      scim('PATCH', `/Groups/${body.id}`, { Operations: operations })
    const long = await change({ op: 'replace', path: 'externalId', value: 'x'.repeat(501) })
    expect([long.status, long.body.scimType]).toEqual([400, 'invalidValue'])
    // Attribute names ignore case, so one object can name an attribute many times.
    const names = Array.from({ length: 501 }, (_, n) =>
      Array.from('externalid', (letter, at) => ((n >> at) & 1 ? letter.toUpperCase() : letter)).join(''),
    )
    const value = Object.fromEntries(names.map((name) => [name, 'x']))
    const many = await change({ op: 'replace', value }, { op: 'replace', value })
    expect(many).toMatchObject({
      status: 400,
      body: { scimType: 'invalidValue', detail: 'Operations must make at most 1000 changes together' },
    })
    expect((await change({ op: 'replace', value })).status).toBe(200)
  })

  it('gets fewer groups than it asks for, if they have over 10,000 members together', async () => {
    const keys: string[] = []
    for (const displayName of ['Crowd', 'Swarm', 'Pair'])
      keys.push((await scim('POST', '/Groups', { displayName })).body.id)
    await sql`
      insert into principal_members (organization_id, principal, member)
      select ${organization.id}::uuid, g.principal, 'person:' || gen_random_uuid()
      from unnest(array['group:Crowd', 'group:Swarm']) as g (principal), generate_series(1, 6000)`.execute(
      service.database.db,
    )
    const first = (await scim('GET', '/Groups?count=1')).body.totalResults - 2
    const list = async (query: string) => {
      const { body } = await scim('GET', `/Groups?startIndex=${first}&${query}`)
      expect(body.itemsPerPage).toBe(body.Resources.length)
      return body.Resources.map(({ id }: { id: string }) => id)
    }
    expect(await list('count=3')).toEqual(keys.slice(0, 1))
    for (const query of ['excludedAttributes=members', 'attributes=displayName'])
      expect(await list(query), query).toEqual(keys)
  })
})
