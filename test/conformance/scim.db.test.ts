import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { scimRoutes } from '../../src/people/index.ts'
import { documentOf, push } from '../support/documents.ts'
import { startIssuer, type TestIssuer } from '../support/issuer.ts'
import { type Person, signIn } from '../support/people.ts'
import { type Answer, startTestService, type TestOrganization, type TestService } from '../support/service.ts'

let issuer: TestIssuer
let service: TestService
let organization: TestOrganization
let owner: Person
let token: string

beforeAll(async () => {
  issuer = await startIssuer()
  service = await startTestService({ environment: issuer.environment })
  organization = await service.organization()
  owner = await signIn(service, issuer, 'owner', { organizationId: organization.id, role: 'owner' })
  token = (await newToken('Okta')).body.secret
})
afterAll(async () => {
  await service.close()
  await issuer.close()
})

const newToken = (name: string) =>
  service.call('POST', '/v1/console/scim-tokens', { key: owner.token, body: { name } })

const scim = (method: string, path: string, body?: unknown, key = token): Promise<Answer> =>
  service.call(method, `/scim/v2${path}`, {
    key,
    ...(body === undefined
      ? {}
      : { raw: JSON.stringify(body), headers: { 'Content-Type': 'application/scim+json' } }),
  })

const userOf = (userName: string, more: object = {}) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
  userName,
  name: { givenName: 'Ada', familyName: 'Lovelace' },
  emails: [{ value: userName, type: 'work', primary: true }],
  active: true,
  ...more,
})
const patchOf = (...Operations: object[]) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations,
})
const createUser = async (userName: string, more?: object): Promise<string> =>
  (await scim('POST', '/Users', userOf(userName, more))).body.id

async function finds(email: string, query: string): Promise<boolean> {
  const body = { query, onBehalfOf: { email } }
  const answer = await service.call('POST', '/v1/search', { key: organization.adminKey, body })
  return answer.body.hits.some(({ content }: { content: string }) => content.includes(query))
}

const pushFor = (externalId: string, accessPolicy: object) =>
  push(
    service,
    organization,
    documentOf(organization, { externalId, title: externalId, body: externalId, metadata: { accessPolicy } }),
  )

describe('a SCIM token', () => {
  it('is shown once, stored hashed, and refused once revoked', async () => {
    const { status, body } = await newToken('Entra')
    expect([status, body.secret.slice(0, 5)]).toEqual([201, 'scim_'])
    expect((await scim('GET', '/Users', undefined, body.secret)).status).toBe(200)
    const list = await service.call('GET', '/v1/console/scim-tokens', { key: owner.token })
    expect(list.body.scimTokens[0]).toMatchObject({ name: 'Entra', lastUsedAt: expect.any(String) })
    expect(list.text).not.toContain(body.secret)
    await service.call('DELETE', `/v1/console/scim-tokens/${body.scimToken.id}`, { key: owner.token })
    const refused = await scim('GET', '/Users', undefined, body.secret)
    expect([refused.status, refused.headers.get('content-type')]).toEqual([
      401,
      'application/scim+json; charset=utf-8',
    ])
    expect(refused.body).toMatchObject({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: '401',
      detail: expect.any(String),
    })
  })

  it('works only for SCIM, which accepts nothing else', async () => {
    expect((await service.call('GET', '/v1/sources', { key: token })).status).toBe(401)
    expect((await scim('GET', '/Users', undefined, organization.adminKey)).status).toBe(401)
  })
})

describe('every SCIM route', () => {
  const titled = scimRoutes.map((route) => [`${route.method} ${route.path}`, route] as const)
  const pathOf = (path: string, id: string) =>
    path.replace('{id}', id).replace('/scim/v2', '').replace('{name}', 'User')

  it.each(titled)(
    '%s refuses other tokens, and an invalid JSON body, in the SCIM error format',
    async (_title, route) => {
      const path = pathOf(route.path, MISSING)
      for (const key of [undefined, 'scim_x', organization.adminKey, owner.token]) {
        const refused = await service.call(route.method, `/scim/v2${path}`, { key })
        expect([refused.status, refused.body.status], refused.text).toEqual([401, '401'])
        expect(refused.headers.get('www-authenticate')).toMatch(/^Bearer realm=/)
      }
      if (!route.body) return
      for (const [raw, type, status, scimType] of [
        ['{', 'application/scim+json', 400, 'invalidSyntax'],
        ['[]', 'application/json', 400, 'invalidValue'],
        ['{}', 'text/plain', 415, undefined],
      ] as const) {
        const answer = await service.call(route.method, `/scim/v2${path}`, {
          key: token,
          raw,
          headers: { 'Content-Type': type },
        })
        expect([answer.status, answer.body.schemas, answer.body.scimType], answer.text).toEqual([
          status,
          ['urn:ietf:params:scim:api:messages:2.0:Error'],
          scimType,
        ])
      }
    },
  )

  it.each(titled.filter(([, { path }]) => path.includes('{id}')))(
    '%s returns 404 for a missing resource',
    async (_title, route) => {
      const body =
        route.method === 'PATCH'
          ? patchOf({ op: 'replace', path: 'active', value: true })
          : { ...userOf('x'), displayName: 'x' }
      for (const id of [MISSING, 'x', '%00', organization.id]) {
        const answer = await scim(route.method, pathOf(route.path, id), route.body ? body : undefined)
        expect([answer.status, answer.body.status], answer.text).toEqual([404, '404'])
      }
    },
  )
})

const MISSING = '00000000-0000-4000-8000-000000000000'

describe('discovery', () => {
  it('lists what is supported', async () => {
    const config = await scim('GET', '/ServiceProviderConfig')
    expect(config.body).toMatchObject({
      patch: { supported: true },
      filter: { supported: true, maxResults: 200 },
    })
    expect((await scim('GET', '/ResourceTypes')).body.Resources.map(({ id }: { id: string }) => id)).toEqual([
      'User',
      'Group',
    ])
    expect((await scim('GET', '/Schemas')).body.totalResults).toBe(2)
    expect((await scim('GET', '/Schemas/urn:ietf:params:scim:schemas:core:2.0:User')).body.name).toBe('User')
  })

  it.each([
    '/ServiceProviderConfig',
    '/ResourceTypes/User',
    '/Schemas/urn:ietf:params:scim:schemas:core:2.0:User',
  ])('gives the address of %s as its location', async (path) => {
    expect((await scim('GET', path)).body.meta.location).toBe(`${service.url}/scim/v2${path}`)
  })
})

describe('a user', () => {
  it('is created, found by each filter, replaced and listed', async () => {
    const created = await scim(
      'POST',
      '/Users',
      userOf('Grace@Example.com', { externalId: 'ext-1', displayName: 'Grace ΟΔΟΣ' }),
    )
    expect([created.status, created.headers.get('location')]).toEqual([
      201,
      `${service.url}/scim/v2/Users/${created.body.id}`,
    ])
    expect(created.body.meta.location).toBe(created.headers.get('location'))
    expect(created.body).toMatchObject({ userName: 'Grace@Example.com', active: true, externalId: 'ext-1' })
    for (const filter of [
      'userName eq "grace@example.com"',
      'externalId eq "ext-1"',
      'displayName eq "grace ΟΔΟΣ"',
      'emails.value eq "grace@example.com"',
      'emails[type eq "work"].value eq "grace@example.com"',
    ]) {
      const { body } = await scim('GET', `/Users?filter=${encodeURIComponent(filter)}`)
      expect(
        body.Resources?.map(({ id }: { id: string }) => id),
        filter,
      ).toEqual([created.body.id])
    }
    const none = await scim('GET', `/Users?filter=${encodeURIComponent('userName eq "nobody"')}`)
    expect(none.body).toMatchObject({ totalResults: 0, Resources: [] })
    const put = await scim(
      'PUT',
      `/Users/${created.body.id}`,
      userOf('grace@example.com', { displayName: 'G' }),
    )
    expect([put.status, put.body.displayName, put.body.externalId]).toEqual([200, 'G', undefined])
    const page = await scim('GET', '/Users?startIndex=1&count=1')
    expect(page.body).toMatchObject({ startIndex: 1, itemsPerPage: 1 })
  })

  it.each([
    [{ userName: undefined }, 'userName is required'],
    [{ userName: 'ada@example.com', emails: 'ada@example.com' }, 'emails must be an array, not a string'],
    [{ userName: 'ada@example.com', emails: [{ type: 'work' }] }, 'emails.0.value is required'],
  ])('is refused with the fault: %j', async (attributes, detail) => {
    expect(await scim('POST', '/Users', attributes)).toMatchObject({
      status: 400,
      body: { scimType: 'invalidValue', detail },
    })
  })

  it('is refused when the userName or address is taken, or the filter is invalid', async () => {
    await createUser('twin@example.com')
    const twice = await scim('POST', '/Users', userOf('TWIN@example.com'))
    expect([twice.status, twice.body]).toMatchObject([409, { scimType: 'uniqueness', status: '409' }])
    const disguised = await scim('POST', '/Users', {
      ...userOf('eve@example.com'),
      emails: [{ value: 'twin@example.com', primary: true }],
    })
    expect(disguised.status).toBe(409)
    const filter = await scim('GET', `/Users?filter=${encodeURIComponent('userName co "a"')}`)
    expect([filter.status, filter.body.scimType]).toEqual([400, 'invalidFilter'])
    const path = await scim(
      'PATCH',
      `/Users/${await createUser('path@example.com')}`,
      patchOf({ op: 'replace', path: '[]', value: 1 }),
    )
    expect([path.status, path.body.scimType]).toEqual([400, 'invalidPath'])
    expect((await scim('GET', '/Users/no-id')).status).toBe(404)
  })

  it.each<[string, object[]]>([
    ['Okta', [{ op: 'replace', value: { active: false } }]],
    ['Microsoft Entra ID', [{ op: 'Replace', path: 'active', value: 'False' }]],
    [
      'a path with its schema',
      [{ op: 'replace', path: 'urn:ietf:params:scim:schemas:core:2.0:User:active', value: false }],
    ],
  ])('is deactivated and reactivated as %s does it', async (name, operations) => {
    const email = `${name.replaceAll(' ', '')}@example.com`.toLowerCase()
    const word = `heron${name.length}`
    await pushFor(word, { visibility: 'restricted', users: [email] })
    const id = await createUser(email)
    expect(await finds(email, word)).toBe(true)
    const off = await scim('PATCH', `/Users/${id}`, patchOf(...operations))
    expect([off.status, off.body.active], off.text).toEqual([200, false])
    expect(await finds(email, word)).toBe(false)
    const on = await scim('PATCH', `/Users/${id}`, patchOf({ op: 'replace', value: { active: true } }))
    expect(on.body.active).toBe(true)
    expect(await finds(email, word)).toBe(true)
  })

  it('stays denied under each of their addresses after deactivation', async () => {
    const [login, other] = ['stork@example.com', 'stork.second@example.com']
    await pushFor('stork', { visibility: 'public', deny: [other] })
    const id = await createUser(login, { emails: [{ value: other, primary: true }] })
    const found = async () => [await finds(login, 'stork'), await finds(other, 'stork')]
    expect(await found()).toEqual([false, false])
    await scim('PATCH', `/Users/${id}`, patchOf({ op: 'replace', value: { active: false } }))
    expect(await found()).toEqual([false, false])
    expect((await scim('DELETE', `/Users/${id}`)).status).toBe(204)
    expect(await found()).toEqual([false, false])
  })

  it('accepts the changes that Okta and Microsoft Entra ID send', async () => {
    const id = await createUser('shapes@example.com')
    const { body, status } = await scim(
      'PATCH',
      `/Users/${id}`,
      patchOf(
        { op: 'Add', path: 'emails[type eq "other"].value', value: 'o@example.com' },
        { op: 'Replace', path: 'emails[type eq "work"].value', value: 'new@example.com' },
        { op: 'replace', value: { 'name.givenName': 'Shape', displayName: 'Shapes' } },
        {
          op: 'add',
          path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department',
          value: 'R&D',
        },
        { op: 'add', path: 'phoneNumbers[type eq "work"].value', value: '1' },
      ),
    )
    expect([status, body.name, body.displayName]).toMatchObject([200, { givenName: 'Shape' }, 'Shapes'])
    expect(body.emails.map(({ value }: { value: string }) => value).toSorted()).toEqual([
      'new@example.com',
      'o@example.com',
    ])
  })

  it('loses console access and reading when deleted, with every address, and keeps their identity', async () => {
    const person = await signIn(service, issuer, 'leaver', { organizationId: organization.id, role: 'admin' })
    const inConsole = () => service.call('GET', '/v1/console/sources', { key: person.token })
    await pushFor('ibis', {
      visibility: 'restricted',
      users: ['leaver@example.com'],
      domains: ['example.com'],
    })
    const id = await createUser('leaver@example.com')
    expect([(await inConsole()).status, await finds('leaver@example.com', 'ibis')]).toEqual([200, true])
    expect((await scim('DELETE', `/Users/${id}`)).status).toBe(204)
    expect([(await inConsole()).status, await finds('leaver@example.com', 'ibis')]).toEqual([404, false])
    const me = await service.call('GET', '/v1/console/me', { key: person.token })
    expect(me.body.organizations).toEqual([])
    expect((await scim('GET', `/Users/${id}`)).status).toBe(404)
    await createUser('leaver@example.com')
    expect([(await inConsole()).status, await finds('leaver@example.com', 'ibis')]).toEqual([200, true])
  })

  it('is a member of the organization', async () => {
    await pushFor('lemur', { visibility: 'workspace' })
    expect(await finds('member@example.com', 'lemur')).toBe(false)
    await createUser('member@example.com')
    expect(await finds('member@example.com', 'lemur')).toBe(true)
  })

  it('records an event that names the token, and no address', async () => {
    const id = await createUser('audited@example.com')
    const { body } = await service.call('GET', '/v1/audit-events?limit=1', { key: organization.adminKey })
    expect(body.auditEvents[0]).toMatchObject({
      action: 'person.provision',
      actorUserId: owner.userId,
      targetId: id,
      metadata: { scimTokenId: expect.any(String) },
    })
    expect(JSON.stringify(body.auditEvents[0])).not.toContain('audited@')
  })

  it('of another workspace is invisible', async () => {
    const id = await createUser('private@example.com')
    const other = await service.organization()
    const stranger = await signIn(service, issuer, 'stranger', { organizationId: other.id, role: 'owner' })
    const theirs = await service.call('POST', '/v1/console/scim-tokens', {
      key: stranger.token,
      body: { name: 'x' },
    })
    for (const method of ['GET', 'DELETE'])
      expect((await scim(method, `/Users/${id}`, undefined, theirs.body.secret)).status).toBe(404)
  })
})

describe('a group', () => {
  it('lets its members read what names it, after each change that identity providers send', async () => {
    await pushFor('dugong', { visibility: 'restricted', groups: ['Platform'] })
    const ann = await createUser('ann@example.com')
    const ben = await createUser('ben@example.com')
    const readers = async () => [
      await finds('ann@example.com', 'dugong'),
      await finds('ben@example.com', 'dugong'),
    ]
    const created = await scim('POST', '/Groups', { displayName: 'Platform', members: [{ value: ann }] })
    expect([created.status, created.body.members]).toMatchObject([
      201,
      [{ value: ann, display: 'ann@example.com' }],
    ])
    const path = `/Groups/${created.body.id}`
    expect(await readers()).toEqual([true, false])
    const patch = (...operations: object[]) => scim('PATCH', path, patchOf(...operations))
    await patch({ op: 'Add', path: 'members', value: [{ value: ben }] })
    expect(await readers()).toEqual([true, true])
    await patch({ op: 'remove', path: `members[value eq "${ann}"]` })
    expect(await readers()).toEqual([false, true])
    await patch({ op: 'Remove', path: 'members', value: [{ value: ben }] })
    expect(await readers()).toEqual([false, false])
    await patch({ op: 'replace', path: 'members', value: [{ value: ann }, { value: ben }] })
    expect(await readers()).toEqual([true, true])
    await patch({ op: 'replace', value: { id: created.body.id, displayName: 'Products' } })
    expect(await readers()).toEqual([false, false])
    await scim('PUT', path, { displayName: 'Platform', members: [{ value: ben }] })
    expect(await readers()).toEqual([false, true])
    const without = await scim('GET', `${path}?excludedAttributes=members`)
    expect(without.body).not.toHaveProperty('members')
    const listed = await service.call('GET', '/v1/groups/Platform', { key: organization.adminKey })
    expect(listed.body.group).toMatchObject({ origin: 'scim', members: ['ben@example.com'] })
    const put = await service.call('PUT', '/v1/groups/Platform', {
      key: organization.adminKey,
      body: { members: [] },
    })
    expect([put.status, put.body.code]).toEqual([409, 'group_provisioned'])
    expect((await scim('DELETE', path)).status).toBe(204)
    expect(await readers()).toEqual([false, false])
  })

  it('keeps a new name when the same PATCH also changes its externalId', async () => {
    const { body } = await scim('POST', '/Groups', { displayName: 'Before', externalId: 'g-2' })
    const path = `/Groups/${body.id}`
    const both = { displayName: 'After', externalId: 'g-3' }
    expect((await scim('PATCH', path, patchOf({ op: 'replace', value: both }))).body).toMatchObject(both)
    const steps = [
      { op: 'Replace', path: 'displayName', value: 'Later' },
      { op: 'Replace', path: 'externalId', value: 'g-4' },
    ]
    expect((await scim('PATCH', path, patchOf(...steps))).body).toMatchObject({
      displayName: 'Later',
      externalId: 'g-4',
    })
  })

  it('is refused when its name is taken, or a member does not exist', async () => {
    await service.call('PUT', '/v1/groups/Taken', { key: organization.adminKey, body: { members: [] } })
    const taken = await scim('POST', '/Groups', { displayName: 'Taken' })
    expect([taken.status, taken.body.scimType]).toEqual([409, 'uniqueness'])
    const nobody = await scim('POST', '/Groups', {
      displayName: 'Ghosts',
      members: [{ value: owner.userId }],
    })
    expect([nobody.status, nobody.body.scimType]).toEqual([400, 'invalidValue'])
  })

  it('is found by its name', async () => {
    await scim('POST', '/Groups', { displayName: 'Findable', externalId: 'g-1' })
    await scim('POST', '/Groups', { displayName: 'ΟΔΟΣ' })
    for (const filter of [
      'displayName eq "Findable"',
      'displayName eq "findable"',
      'displayName eq "ΟΔΟΣ"',
      'externalId eq "g-1"',
    ]) {
      const { body } = await scim(
        'GET',
        `/Groups?excludedAttributes=members&filter=${encodeURIComponent(filter)}`,
      )
      expect(body.totalResults, filter).toBe(1)
    }
  })
})
