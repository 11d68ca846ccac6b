import { afterAll, beforeAll, expect, it } from 'vitest'
import { startIssuer, type TestIssuer } from '../support/issuer.ts'
import { signIn } from '../support/people.ts'
import { startTestService, type TestService } from '../support/service.ts'

let issuer: TestIssuer
let service: TestService

beforeAll(async () => {
  issuer = await startIssuer()
  service = await startTestService({ environment: issuer.environment })
})
afterAll(async () => {
  await service.close()
  await issuer.close()
})

it('deactivates people of any role, because the identity provider decides, and changes no roles', async () => {
  const { id: organizationId } = await service.organization()
  const owner = await signIn(service, issuer, 'owner', { organizationId, role: 'owner' })
  const admin = await signIn(service, issuer, 'appointed', { organizationId, role: 'admin' })
  const { body } = await service.call('POST', '/v1/console/scim-tokens', {
    key: admin.token,
    body: { name: "An admin's" },
  })
  const scim = (method: string, path: string, sent: object) =>
    service.call(method, `/scim/v2/Users${path}`, { key: body.secret, body: sent })
  const asOwner = async () =>
    (await service.call('GET', '/v1/console/me', { key: owner.token })).body.organizations

  const person = await scim('POST', '', { userName: 'owner@example.com' })
  const set = async (active: boolean) =>
    (await scim('PATCH', `/${person.body.id}`, { Operations: [{ op: 'replace', value: { active } }] })).status
  expect([await set(false), await asOwner()]).toEqual([200, []])
  expect([await set(true), await asOwner()]).toMatchObject([200, [{ role: 'owner' }]])
})
