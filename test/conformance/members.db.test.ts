import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ERRORS } from '../../src/kernel/error-codes.ts'
import { MEMBERS_MAX, OPEN_INVITATIONS_MAX } from '../../src/organizations/limits.ts'
import type { Role } from '../../src/kernel/roles.ts'
import { databaseContents, tablesWith } from '../support/database-contents.ts'
import { startIssuer, type TestIssuer } from '../support/issuer.ts'
import { type Person, signIn } from '../support/people.ts'
import {
  type Answer,
  OPERATOR_TOKEN,
  startTestService,
  type TestOrganization,
  type TestService,
} from '../support/service.ts'
import { aTime, anId } from '../support/shapes.ts'
import { until } from '../support/until.ts'

let now = new Date()
let issuer: TestIssuer
let service: TestService
let organization: TestOrganization
let owner: Person

beforeAll(async () => {
  issuer = await startIssuer()
  service = await startTestService({ environment: issuer.environment, clock: { now: () => new Date(now) } })
})
beforeEach(async () => {
  now = new Date()
  organization = await service.organization()
  owner = await member('owner')
})
afterAll(async () => {
  await service.close()
  await issuer.close()
})

let people = 0
const member = (role: Role): Promise<Person> =>
  signIn(service, issuer, `${role}-${++people}`, { organizationId: organization.id, role })
const stranger = (): Promise<Person> => signIn(service, issuer, `stranger-${++people}`)

const call = (
  person: Pick<Person, 'token'>,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> => {
  // Every mutation has its own timestamp, which orders the trail.
  if (method !== 'GET') now = new Date(now.getTime() + 1)
  return service.call(method, `/v1/console/${path}`, { key: person.token, body })
}
const invite = (by: Person, body: { role: Role; email?: string } = { role: 'member' }): Promise<Answer> =>
  call(by, 'POST', 'invitations', body)
const tokenOf = ({ body }: Answer): string => new URL(body.url).hash.slice(1)
const accept = (person: Pick<Person, 'token'>, token: string): Promise<Answer> =>
  call(person, 'POST', 'invitations/accept', { token })
const refused = (status: number, code: string) => ({ status, body: { code } })
const roles = async (): Promise<Record<string, Role>> => {
  const { body } = await call(owner, 'GET', 'members')
  return Object.fromEntries(body.members.map(({ id, role }: { id: string; role: Role }) => [id, role]))
}
const trail = async (limit: number): Promise<unknown[]> =>
  (await service.call('GET', `/v1/audit-events?limit=${limit}`, { key: organization.adminKey })).body
    .auditEvents

describe('a workspace', () => {
  it('is renamed by an admin, recorded in their name [CON-7, AUD-11]', async () => {
    const admin = await member('admin')
    const renamed = await call(admin, 'PATCH', `organizations/${organization.id}`, { name: 'Globex' })
    expect(renamed).toMatchObject({
      status: 200,
      body: { organization: { id: organization.id, name: 'Globex', role: 'admin', createdAt: aTime } },
    })
    expect((await call(owner, 'GET', 'me')).body.organizations).toMatchObject([{ name: 'Globex' }])
    expect(await trail(1)).toMatchObject([
      { action: 'organization.update', actorUserId: admin.userId, metadata: { name: 'Globex' } },
    ])
    const asMember = await call(await member('member'), 'PATCH', `organizations/${organization.id}`, {
      name: 'Mine',
    })
    expect(asMember).toMatchObject(refused(403, 'role_required'))
  })

  it('shows its members only to each other [CON-8, CON-6]', async () => {
    now = new Date(now.getTime() + 1_000)
    const other = await member('member')
    const { status, body } = await call(other, 'GET', 'members')
    expect(status).toBe(200)
    expect(body.members.map(({ id }: { id: string }) => id).toSorted()).toEqual(
      [owner.userId, other.userId].toSorted(),
    )
    expect(body.members).toContainEqual({
      id: other.userId,
      name: expect.stringMatching(/^member-/),
      email: expect.stringMatching(/^member-\d+@example\.com$/),
      role: 'member',
      joinedAt: aTime,
    })
    expect(await call(await stranger(), 'GET', 'members')).toMatchObject(refused(404, 'not_found'))
  })
})

describe('changing members', () => {
  const ORDER = ['owner', 'admin', 'member'] as const
  const may = (actor: Role, target: Role): boolean =>
    actor === 'owner' || (actor === 'admin' && target !== 'owner')

  it.each(ORDER)('depends on the role: %s [CON-9]', async (role) => {
    const actor = await member(role)
    for (const target of ORDER) {
      for (const wanted of ORDER) {
        const person = await member(target)
        const changed = await call(actor, 'PATCH', `members/${person.userId}`, { role: wanted })
        const isAllowed = may(role, target) && may(role, wanted)
        expect(changed, `${target} to ${wanted}`).toMatchObject(
          isAllowed
            ? { status: 200, body: { member: { id: person.userId, role: wanted } } }
            : refused(403, 'role_required'),
        )
        expect((await roles())[person.userId]).toBe(isAllowed ? wanted : target)
      }
      const person = await member(target)
      const removed = await call(actor, 'DELETE', `members/${person.userId}`)
      expect(removed, target).toMatchObject(
        may(role, target)
          ? { status: 200, body: { member: { id: person.userId, role: target }, removedAt: aTime } }
          : refused(403, 'role_required'),
      )
      expect(await invite(actor, { role: target })).toMatchObject(
        may(role, target) ? { status: 201 } : refused(403, 'role_required'),
      )
    }
  })

  it('is recorded; setting the same role is not a change [CON-9, AUD-11]', async () => {
    const person = await member('member')
    const path = `members/${person.userId}`
    now = new Date(now.getTime() + 1_000)
    await call(owner, 'PATCH', path, { role: 'admin' })
    const before = await databaseContents(service.database.db)
    expect((await call(owner, 'PATCH', path, { role: 'admin' })).status).toBe(200)
    expect(await databaseContents(service.database.db)).toEqual(before)
    now = new Date(now.getTime() + 1_000)
    await call(person, 'DELETE', path)
    const target = { targetType: 'user', targetId: person.userId }
    expect(await trail(2)).toMatchObject([
      {
        ...target,
        action: 'member.remove',
        actorUserId: person.userId,
        metadata: { role: 'admin', left: true, invitationsRevoked: 0 },
      },
      {
        ...target,
        action: 'member.update',
        actorUserId: owner.userId,
        metadata: { role: 'admin', formerRole: 'member', invitationsRevoked: 0 },
      },
    ])
  })

  it('keeps the last owner, who can neither leave nor step down [CON-9]', async () => {
    const path = `members/${owner.userId}`
    expect(await call(owner, 'DELETE', path)).toMatchObject(refused(409, 'last_owner'))
    expect(await call(owner, 'PATCH', path, { role: 'member' })).toMatchObject(refused(409, 'last_owner'))
    await member('owner')
    expect((await call(owner, 'PATCH', path, { role: 'member' })).status).toBe(200)
  })

  it('keeps one owner even when all leave at once [CON-9]', async () => {
    const owners = [owner, await member('owner'), await member('owner')]
    const answers = await Promise.all(
      owners.map((one, at) => {
        const next = owners[(at + 1) % owners.length] ?? one
        return at === 0
          ? call(one, 'DELETE', `members/${one.userId}`)
          : call(one, 'PATCH', `members/${next.userId}`, { role: 'member' })
      }),
    )
    const left = await service.database.db
      .selectFrom('memberships')
      .select('user_id')
      .where('organization_id', '=', organization.id)
      .where('role', '=', 'owner')
      .execute()
    expect(left.length).toBeGreaterThan(0)
    for (const { status } of answers) expect([200, 403, 404, 409]).toContain(status)
  })
})

describe('a removed member', () => {
  it('is refused from the next request on, while their keys keep working [CON-10]', async () => {
    const admin = await member('admin')
    const body = { name: 'Theirs', allowedActions: ['search'] }
    const { secret } = (await call(admin, 'POST', 'api-keys', body)).body
    expect((await call(admin, 'GET', 'sources')).status).toBe(200)
    await call(owner, 'DELETE', `members/${admin.userId}`)
    expect(await call(admin, 'GET', 'sources')).toMatchObject(refused(404, 'not_found'))
    const mcp = await service.call('POST', '/mcp', {
      key: admin.token,
      body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      headers: { Accept: 'application/json, text/event-stream' },
    })
    expect(mcp.status).toBe(404)
    const found = await service.call('POST', '/v1/search', { key: secret, body: { query: 'x' } })
    expect(found.status).toBe(200)
  })

  it('leaves no personal data once the workspace is removed [OPS-10]', async () => {
    const left = await member('member')
    await call(left, 'DELETE', `members/${left.userId}`)
    const named = () => tablesWith(service.database.db, left.userId)
    expect(await named()).toContain('users')
    const path = `/operator/organizations/${organization.id}`
    expect((await service.call('DELETE', path, { key: OPERATOR_TOKEN })).status).toBe(200)
    expect(await named()).not.toContain('users')
    await until('the end of the deletion', named, (tables) => tables.length === 0)
  })

  it('cannot return by their own link, nor exceed a lower role [CON-10]', async () => {
    const admin = await member('admin')
    const other = await member('owner')
    const forAdmin = tokenOf(await invite(admin, { role: 'admin' }))
    const forOwner = tokenOf(await invite(other, { role: 'owner' }))
    const stays = tokenOf(await invite(other, { role: 'admin' }))
    await call(owner, 'DELETE', `members/${admin.userId}`)
    expect(await accept(admin, forAdmin)).toMatchObject(refused(400, 'invitation_invalid'))
    await call(owner, 'PATCH', `members/${other.userId}`, { role: 'admin' })
    expect(await accept(admin, forOwner)).toMatchObject(refused(400, 'invitation_invalid'))
    expect((await accept(await stranger(), stays)).status).toBe(200)
  })

  it('cannot return by another link for their address [CON-10]', async () => {
    const email = `grace-${++people}@example.com`
    const token = await issuer.token({ subject: email, email, emailVerified: true })
    const first = tokenOf(await invite(owner, { role: 'member', email }))
    const second = tokenOf(await invite(owner, { role: 'admin', email }))
    const other = await invite(owner, { role: 'member', email: 'ada@example.com' })
    expect((await accept({ token }, first)).status).toBe(200)
    const grace = Object.keys(await roles()).find((id) => id !== owner.userId) ?? ''
    expect((await call(owner, 'DELETE', `members/${grace}`)).status).toBe(200)
    expect(await accept({ token }, second)).toMatchObject(refused(400, 'invitation_invalid'))
    expect((await call(owner, 'GET', 'invitations')).body.invitations).toEqual([other.body.invitation])
    expect((await trail(1))[0]).toMatchObject({ metadata: { invitationsRevoked: 1 } })
  })
})

describe('an invitation', () => {
  it("is shown with its link once, and only the secret's hash is stored [CON-11]", async () => {
    const made = await invite(owner, { role: 'admin', email: 'Ada@Example.com' })
    expect(made.status).toBe(201)
    expect(made.headers.get('cache-control')).toBe('no-store')
    const expiresAt = new Date(now.getTime() + 7 * 86_400_000).toISOString()
    const invitation = {
      id: anId,
      role: 'admin',
      email: 'ada@example.com',
      createdBy: owner.userId,
      createdAt: now.toISOString(),
      expiresAt,
    }
    expect(made.body).toEqual({
      invitation,
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/console\/invitation#inv_[\w-]{43}$/),
      isMailed: null,
    })
    const listed = await call(owner, 'GET', 'invitations')
    expect(listed.body).toEqual({ invitations: [made.body.invitation] })
    expect(listed.text).not.toContain('inv_')
    const rows = await service.database.db.selectFrom('invitations').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(tokenOf(made))
    expect(await trail(1)).toMatchObject([
      { action: 'member.invite', targetId: made.body.invitation.id, metadata: { role: 'admin' } },
    ])
    expect(JSON.stringify(await trail(1))).not.toContain('inv_')
  })

  it('makes one person a member, once [CON-11]', async () => {
    const made = await invite(owner, { role: 'admin' })
    const [first, second] = [await stranger(), await stranger()]
    const joined = await accept(first, tokenOf(made))
    expect(joined).toMatchObject({
      status: 200,
      body: { organization: { id: organization.id, role: 'admin', createdAt: aTime } },
    })
    expect((await accept(first, tokenOf(made))).body).toEqual(joined.body)
    expect(await accept(second, tokenOf(made))).toMatchObject(refused(400, 'invitation_invalid'))
    expect(await roles()).toEqual({ [owner.userId]: 'owner', [first.userId]: 'admin' })
    expect((await call(owner, 'GET', 'invitations')).body.invitations).toEqual([])
    expect(await trail(1)).toMatchObject([
      {
        action: 'member.join',
        actorUserId: first.userId,
        targetId: first.userId,
        metadata: { role: 'admin', invitationId: made.body.invitation.id },
      },
    ])
    await call(owner, 'DELETE', `members/${first.userId}`)
    expect(await accept(first, tokenOf(made))).toMatchObject(refused(400, 'invitation_invalid'))
  })

  it('makes only one person a member when several accept at once [CON-11]', async () => {
    const token = tokenOf(await invite(owner))
    const persons = await Promise.all([stranger(), stranger(), stranger(), stranger()])
    const answers = await Promise.all(persons.map((person) => accept(person, token)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400])
    expect(Object.keys(await roles())).toHaveLength(2)
  })

  it('is not used up by an existing member, and changes no role [CON-11]', async () => {
    const token = tokenOf(await invite(owner))
    expect((await accept(owner, token)).body.organization.role).toBe('owner')
    expect((await accept(await stranger(), token)).status).toBe(200)
  })

  it('expires after seven days or when withdrawn [CON-11, AUD-11]', async () => {
    const made = await invite(owner)
    const withdrawn = await invite(owner)
    const answer = await call(owner, 'DELETE', `invitations/${withdrawn.body.invitation.id}`)
    expect(answer).toMatchObject({
      status: 200,
      body: { invitation: withdrawn.body.invitation, revokedAt: aTime },
    })
    expect((await trail(1))[0]).toMatchObject({ action: 'invitation.revoke' })
    const person = await stranger()
    expect(await accept(person, tokenOf(withdrawn))).toMatchObject(refused(400, 'invitation_invalid'))
    now = new Date(now.getTime() + 7 * 86_400_000)
    const token = await issuer.token({ subject: 'late', expiresIn: 30 * 86_400 })
    expect(await accept({ token }, tokenOf(made))).toMatchObject({
      status: 400,
      body: { code: 'invitation_invalid', error: ERRORS.invitation_invalid.error },
    })
  })

  it('for an address works for the person with this address at the identity provider [CON-12]', async () => {
    const token = tokenOf(await invite(owner, { role: 'member', email: 'Grace@Example.com' }))
    const as = async (claims: { email: string; emailVerified?: boolean }) =>
      accept({ token: await issuer.token({ subject: `grace-${JSON.stringify(claims)}`, ...claims }) }, token)
    for (const claims of [
      { email: 'ada@example.com', emailVerified: true },
      { email: 'grace@example.com' },
      { email: 'grace@example.com', emailVerified: false },
    ]) {
      expect(await as(claims)).toMatchObject(refused(403, 'invitation_for_another'))
    }
    expect((await as({ email: 'grace@EXAMPLE.com', emailVerified: true })).status).toBe(200)
  })

  it('is one of at most 100 open ones; expired ones free a place [CON-13]', async () => {
    const rows = Array.from({ length: OPEN_INVITATIONS_MAX }, (_, at) => ({
      organization_id: organization.id,
      id: randomUUID(),
      secret_sha256: Buffer.from(`secret ${at} of ${organization.id}`),
      role: 'member' as const,
      created_by_user_id: owner.userId,
      created_at: now,
      expires_at: new Date(now.getTime() + 1_000),
    }))
    await service.database.db.insertInto('invitations').values(rows).execute()
    expect(await invite(owner)).toMatchObject({
      status: 409,
      body: { code: 'invitation_limit_reached', used: 100, limit: 100 },
    })
    now = new Date(now.getTime() + 1_000)
    expect((await invite(owner)).status).toBe(201)
  })

  it('does not work for a workspace of 1,000 members [CON-13]', async () => {
    const token = tokenOf(await invite(owner))
    const users = Array.from({ length: MEMBERS_MAX - 1 }, () => randomUUID())
    await service.database.db
      .insertInto('users')
      .values(users.map((id) => ({ id, issuer: 'x', subject: id, email: null, name: null, created_at: now })))
      .execute()
    const memberships = users.map((user_id) => ({
      organization_id: organization.id,
      user_id,
      role: 'member' as const,
      created_at: now,
    }))
    await service.database.db.insertInto('memberships').values(memberships).execute()
    expect(await accept(await stranger(), token)).toMatchObject({
      status: 409,
      body: { code: 'member_limit_reached', used: 1000, limit: 1000 },
    })
    await call(owner, 'DELETE', `members/${users[0]}`)
    expect((await accept(await stranger(), token)).status).toBe(200)
  })
})
