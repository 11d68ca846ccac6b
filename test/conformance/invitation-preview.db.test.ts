import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startIssuer, type TestIssuer } from '../support/issuer.ts'
import { type Person, signIn } from '../support/people.ts'
import { type Answer, startTestService, type TestOrganization, type TestService } from '../support/service.ts'

let issuer: TestIssuer
let service: TestService
let organization: TestOrganization
let owner: Person

beforeAll(async () => {
  issuer = await startIssuer()
  service = await startTestService({ environment: issuer.environment })
  organization = await service.organization()
  owner = await signIn(service, issuer, 'owner', { organizationId: organization.id, role: 'owner' })
})
afterAll(async () => {
  await service.close()
  await issuer.close()
})

async function invite(email?: string, by = owner): Promise<{ id: string; token: string }> {
  const { body } = await service.call('POST', '/v1/console/invitations', {
    key: by.token,
    body: { role: 'admin', ...(email === undefined ? {} : { email }) },
  })
  return { id: body.invitation.id, token: new URL(body.url).hash.slice(1) }
}
const preview = (key: string, token: string): Promise<Answer> =>
  service.call('POST', '/v1/console/invitations/preview', { key, body: { token } })

describe('the preview of an invitation', () => {
  it('names the workspace, the inviter and the role, and does not consume the invitation [CON-32]', async () => {
    const { token } = await invite()
    const guest = await issuer.token({ subject: 'guest' })
    const { name } = await service.database.db
      .selectFrom('organizations')
      .select('name')
      .where('id', '=', organization.id)
      .executeTakeFirstOrThrow()
    for (let nth = 0; nth < 2; nth++) {
      const { status, body } = await preview(guest, token)
      expect(status).toBe(200)
      expect(body.invitation).toMatchObject({
        workspace: name,
        invitedBy: 'owner',
        role: 'admin',
        email: null,
        signedInAs: 'guest@example.com',
        isForYou: true,
        isMember: false,
      })
    }
    expect((await preview(owner.token, token)).body.invitation.isMember).toBe(true)
  })

  it('names its address to other people and to those who have not verified the address [CON-32]', async () => {
    const { token } = await invite('grace@example.com')
    const as = async (emailVerified: boolean, email = 'grace@example.com') =>
      (
        await preview(
          await issuer.token({ subject: `${email}-${emailVerified}`, email, emailVerified }),
          token,
        )
      ).body.invitation
    expect(await as(true)).toMatchObject({ email: 'grace@example.com', isForYou: true })
    expect(await as(false)).toMatchObject({ signedInAs: 'grace@example.com', isForYou: false })
    expect(await as(true, 'ada@example.com')).toMatchObject({
      signedInAs: 'ada@example.com',
      isForYou: false,
    })
  })

  it('is refused for a used, a withdrawn and an unknown link [CON-32]', async () => {
    const used = await invite()
    const first = await issuer.token({ subject: 'first' })
    await service.call('POST', '/v1/console/invitations/accept', { key: first, body: { token: used.token } })
    const withdrawn = await invite()
    await service.call('DELETE', `/v1/console/invitations/${withdrawn.id}`, { key: owner.token })
    const second = await issuer.token({ subject: 'second' })
    for (const token of [used.token, withdrawn.token, 'inv_unknown'])
      expect(await preview(second, token)).toMatchObject({
        status: 400,
        body: { code: 'invitation_invalid' },
      })
  })
})

describe('an open invitation', () => {
  it('is refused while the person who made it is deactivated over SCIM [CON-10]', async () => {
    const admin = await signIn(service, issuer, 'rook', { organizationId: organization.id, role: 'admin' })
    const [used, open] = [await invite(undefined, admin), await invite(undefined, admin)]
    const accept = async (subject: string, { token }: { token: string }): Promise<Answer> =>
      await service.call('POST', '/v1/console/invitations/accept', {
        key: await issuer.token({ subject }),
        body: { token },
      })
    expect((await accept('raven', used)).status).toBe(200)
    const tokens = await service.call('POST', '/v1/console/scim-tokens', {
      key: owner.token,
      body: { name: 'Okta' },
    })
    const scim = async (method: string, path: string, body?: object): Promise<Answer> =>
      await service.call(method, `/scim/v2/Users${path}`, { key: tokens.body.secret, body })
    const person = { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: 'rook@example.com' }
    const { body } = await scim('POST', '', { ...person, active: false })
    const invalid = { status: 400, body: { code: 'invitation_invalid' } }
    expect(await accept('crow', open)).toMatchObject(invalid)
    expect(await preview(await issuer.token({ subject: 'crow' }), open.token)).toMatchObject(invalid)
    expect((await accept('raven', used)).status).toBe(200)
    expect((await scim('PUT', `/${body.id}`, { ...person, active: true })).status).toBe(200)
    expect((await accept('crow', open)).status).toBe(200)
  })
})
