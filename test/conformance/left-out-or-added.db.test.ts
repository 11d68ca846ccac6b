import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { routes } from '../../src/assembly/routes.ts'
import { startIssuer, type TestIssuer } from '../support/issuer.ts'
import { signIn } from '../support/people.ts'
import { type AnyRoute, bearerFor, type Callers, callRoute, ownId, pathOf } from '../support/route-calls.ts'
import { type Answer, startTestService, type TestService } from '../support/service.ts'

let issuer: TestIssuer
let service: TestService
let callers: Callers

beforeAll(async () => {
  issuer = await startIssuer()
  service = await startTestService({ environment: issuer.environment })
  const organization = await service.organization()
  const membership = { organizationId: organization.id, role: 'owner' as const }
  const { token } = await signIn(service, issuer, 'owner', membership)
  callers = { organization, ownerToken: token }
})
afterAll(async () => {
  await service.close()
  await issuer.close()
})

const titled = (list: readonly AnyRoute[]) =>
  list.map((route) => [`${route.method} ${route.path}`, route] as const)

describe('omitted and additional parameters', () => {
  const body = (route: AnyRoute) => (route.method === 'GET' ? {} : { raw: '{}' })

  it.each(titled(routes.filter(({ path }) => !path.includes('/oauth/'))))(
    '%s refuses unknown query parameters, and names its own [ERR-16]',
    async (_title, route) => {
      const answer = await callRoute(service, route, callers, {
        path: `${pathOf(route)}?lmit=1`,
        ...body(route),
      })
      expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
      expect(answer.body.issues[0]).toMatchObject({
        path: 'lmit',
        message: expect.stringMatching(
          /^unknown query parameter "lmit"; (did you mean "limit"\?|none is accepted|accepted: \w+(, \w+)*(, …)?)$/,
        ),
      })
    },
  )

  it('may be parameters of a provider, on its redirect [ERR-16]', async () => {
    const answer = await service.call('GET', '/v1/oauth/slack/callback?state=x&hd=example.com&prompt=none')
    expect(answer).toMatchObject({ status: 400, body: { code: 'malformed_state' } })
  })

  it.each(titled(routes.filter(({ body: schema, reading }) => schema && !reading)))(
    '%s treats a missing body as an empty object, or says that it needs one [ERR-17]',
    async (_title, route) => {
      const none = await withoutBody(route)
      if (route.bodyOptional) expect(none.status).toBeLessThan(300)
      else
        expect(none).toMatchObject({
          status: 400,
          body: { code: 'malformed_json', error: expect.stringContaining('no body') },
        })
    },
  )

  async function withoutBody(route: AnyRoute): Promise<Answer> {
    const bearer = bearerFor(route, callers)
    const headers = bearer === undefined ? {} : { Authorization: `Bearer ${bearer}` }
    const id = await ownId(service, route, callers)
    return await service.call(route.method, pathOf(route, { id }), { headers })
  }
})
