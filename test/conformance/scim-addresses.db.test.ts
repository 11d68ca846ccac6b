import { afterAll, beforeAll, expect, it } from 'vitest'
import { documentOf, push } from '../support/documents.ts'
import { startIssuer, type TestIssuer } from '../support/issuer.ts'
import { signIn } from '../support/people.ts'
import { startTestService, type TestOrganization, type TestService } from '../support/service.ts'

let issuer: TestIssuer
let service: TestService
let organization: TestOrganization
let secret: string

beforeAll(async () => {
  issuer = await startIssuer()
  service = await startTestService({ environment: issuer.environment })
  organization = await service.organization()
  const owner = await signIn(service, issuer, 'owner', { organizationId: organization.id, role: 'owner' })
  const body = { name: 'Okta' }
  secret = (await service.call('POST', '/v1/console/scim-tokens', { key: owner.token, body })).body.secret
  const metadata = { accessPolicy: { visibility: 'restricted', domains: ['example.com'] } }
  await push(service, organization, documentOf(organization, { metadata }))
})
afterAll(async () => {
  await service.close()
  await issuer.close()
})

async function finds(email: string): Promise<boolean> {
  const body = { query: 'paid time off', onBehalfOf: { email } }
  const answer = await service.call('POST', '/v1/search', { key: organization.adminKey, body })
  return answer.body.hits.length > 0
}

it.each(['with the deactivation', 'after the deactivation'])(
  'a person whose addresses change %s has no access with the former ones',
  async (when) => {
    const name = when.startsWith('with') ? 'heron' : 'egret'
    const [address, other] = [`${name}@example.com`, `${name}.left@example.com`]
    const { token } = await signIn(service, issuer, name, {
      organizationId: organization.id,
      role: 'member',
    })
    const scim = async (method: string, path: string, more: object) => {
      const body = { userName: name, ...more }
      const answer = await service.call(method, `/scim/v2/Users${path}`, { key: secret, body })
      expect(answer.status, answer.text).toBe(method === 'POST' ? 201 : 200)
      return answer
    }
    const access = async () => [
      (await service.call('GET', '/v1/console/overview', { key: token })).status,
      await finds(address),
    ]
    const emails = [{ value: address }]
    const path = `/${(await scim('POST', '', { emails })).body.id}`
    expect(await access()).toEqual([200, true])
    if (when.startsWith('after')) await scim('PUT', path, { active: false, emails })
    for (const next of [[], [{ value: other }], []]) {
      await scim('PUT', path, { active: false, emails: next })
      expect(await access()).toEqual([404, false])
    }
    expect(await finds(other)).toBe(false)
    await scim('PUT', path, { emails })
    expect(await access()).toEqual([200, true])
  },
)
