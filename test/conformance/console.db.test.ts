import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { PROVIDERS } from '../../src/providers/index.ts'
import { documentOf, push } from '../support/documents.ts'
import { ISSUER_AUDIENCE, startIssuer, type TestIssuer } from '../support/issuer.ts'
import { signIn } from '../support/people.ts'
import { type Answer, startTestService, type TestOrganization, type TestService } from '../support/service.ts'
import { aText, aTime, anId } from '../support/shapes.ts'

let issuer: TestIssuer
let service: TestService
let organization: TestOrganization

beforeAll(async () => {
  issuer = await startIssuer()
  service = await startTestService({ environment: issuer.environment })
})
beforeEach(async () => {
  organization = await service.organization()
})
afterAll(async () => {
  await service.close()
  await issuer.close()
})

const member = (role: 'owner' | 'admin' | 'member', id = organization.id) =>
  signIn(service, issuer, `${role}-of-${id}`, { organizationId: id, role })
const get = (path: string, key: string, workspace?: string): Promise<Answer> =>
  service.call('GET', path, { key, headers: workspace ? { 'X-Organization-Id': workspace } : {} })

describe('a user', () => {
  it('sees their name and workspaces [CON-1, SURF-5]', async () => {
    const token = await issuer.token({ subject: 'grace', email: 'grace@example.com', name: 'Grace' })
    const { status, body } = await get('/v1/console/me', token)
    expect(status).toBe(200)
    expect(body).toEqual({
      user: { id: anId, email: 'grace@example.com', name: 'Grace' },
      organizations: [],
    })
    const renamed = await issuer.token({ subject: 'grace', email: 'grace@example.com', name: 'Grace H.' })
    expect((await get('/v1/console/me', renamed)).body.user).toEqual({ ...body.user, name: 'Grace H.' })
  })

  it('creates a workspace and owns it, recorded in their name [CON-2, AUD-9, CRED-11]', async () => {
    const { token, userId } = await signIn(service, issuer, 'founder')
    const made = await service.call('POST', '/v1/console/organizations', {
      key: token,
      body: { name: 'Acme' },
    })
    expect(made.status).toBe(201)
    expect(made.body).toEqual({
      organization: { id: anId, name: 'Acme', role: 'owner', createdAt: aTime, permissions: 'off' },
    })
    expect((await get('/v1/console/me', token)).body.organizations).toEqual([
      { ...made.body.organization, hasPlan: true },
    ])
    expect((await get('/v1/console/billing', token)).body).toMatchObject({
      status: 'internal',
      connectorsUsed: 0,
    })
    const { sources } = (await get('/v1/console/sources', token)).body
    expect(sources).toHaveLength(PROVIDERS.length)
    for (const provider of PROVIDERS)
      expect(sources).toContainEqual(
        expect.objectContaining({ provider, status: 'active', externalAccountId: `push:${provider}` }),
      )
    expect((await get('/v1/console/audit-events', token)).body.auditEvents).toMatchObject([
      {
        action: 'organization.create',
        actorUserId: userId,
        actorApiKeyId: null,
        targetType: 'organization',
        targetId: made.body.organization.id,
      },
    ])
  })

  it('acts in their only workspace, or in the one they name [CON-3, CON-6]', async () => {
    const other = await service.organization()
    const { token } = await member('admin')
    expect((await get('/v1/console/sources', token)).status).toBe(200)
    const { userId } = await member('admin')
    await service.database.db
      .insertInto('memberships')
      .values({ organization_id: other.id, user_id: userId, role: 'admin', created_at: new Date() })
      .execute()
    expect(await get('/v1/console/sources', token)).toMatchObject({
      status: 400,
      body: {
        error: expect.stringContaining('X-Organization-Id'),
        issues: [{ path: 'X-Organization-Id', message: expect.any(String) }],
      },
    })
    for (const { id, sources } of [organization, other]) {
      const { body } = await get('/v1/console/sources', token, id.toUpperCase())
      expect(body.sources.map((source: { id: string }) => source.id).toSorted()).toEqual(
        Object.values(sources).toSorted(),
      )
    }
    const stranger = await service.organization()
    const answers = await Promise.all(
      [stranger.id, '00000000-0000-4000-8000-000000000000', 'nonsense', '%00'].map((id) =>
        get('/v1/console/sources', token, id),
      ),
    )
    for (const { status, body } of answers) {
      expect(status).toBe(404)
      expect(body).toEqual(answers[0]?.body)
    }
  })

  it('without a workspace gets an error that says so [CON-6]', async () => {
    const { token } = await signIn(service, issuer, 'newcomer')
    expect(await get('/v1/console/sources', token)).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    })
  })
})

describe('roles', () => {
  const needAdmin = [
    ['GET', '/v1/console/api-keys'],
    ['POST', '/v1/console/api-keys', { name: 'x', allowedActions: ['search'] }],
    ['GET', '/v1/console/sources'],
    ['POST', '/v1/console/sources', { provider: 'slack', displayName: 'x' }],
    ['GET', '/v1/console/sync-runs'],
    ['GET', '/v1/console/audit-events'],
    ['GET', '/v1/console/billing'],
    ['GET', '/v1/console/usage'],
    ['GET', '/v1/console/rate-limits'],
  ] as const
  const forEverybody = ['/v1/console/search', '/v1/console/context', '/v1/console/ask']

  it('let members search and ask, but require admin for keys, sources, billing and audit [CON-4]', async () => {
    const { token } = await member('member')
    for (const path of forEverybody) {
      expect((await service.call('POST', path, { key: token, body: { query: 'x' } })).status, path).toBe(200)
    }
    for (const [method, path, body] of needAdmin) {
      const answer = await service.call(method, path, { key: token, body })
      expect(answer, path).toMatchObject({ status: 403, body: { code: 'role_required' } })
      expect(answer.headers.get('x-ratelimit-limit')).toEqual(aText)
    }
  })

  it.each(['admin', 'owner'] as const)('let an %s do all of it [CON-4]', async (role) => {
    const { token } = await member(role)
    for (const path of forEverybody) {
      expect((await service.call('POST', path, { key: token, body: { query: 'x' } })).status, path).toBe(200)
    }
    for (const [method, path, body] of needAdmin) {
      expect((await service.call(method, path, { key: token, body })).status, path).toBeLessThan(300)
    }
  })
})

describe('a console route', () => {
  it('answers like its agent twin, and names the user in contract and trail [CON-5, AUD-2, CTX-2]', async () => {
    const { token, userId } = await member('admin')
    await push(service, organization, documentOf(organization))
    const key = organization.adminKey
    const body = { query: 'paid time off' }
    for (const path of ['search', 'ask']) {
      const agent = await service.call('POST', `/v1/${path}`, { key, body })
      const person = await service.call('POST', `/v1/console/${path}`, { key: token, body })
      expect(person.body).toEqual(agent.body)
    }
    const { contract } = (await service.call('POST', '/v1/console/context', { key: token, body })).body
    expect(contract).toMatchObject({ endpoint: '/v1/console/context', callerApiKeyId: null })
    const events = await get('/v1/console/audit-events', token)
    expect(events.body).toEqual((await get('/v1/audit-events', key)).body)
    expect(events.body.auditEvents[0]).toMatchObject({
      action: 'context.retrieve',
      targetId: contract.requestId,
      actorUserId: userId,
      actorApiKeyId: null,
    })
    const keys = await get('/v1/console/api-keys', token)
    expect(keys.body).toMatchObject({ apiKeys: [{ id: organization.adminKeyId }] })
  })

  it('creates working keys and revokes them, even the first admin key [AUTH-1, KEY-9, KEY-12]', async () => {
    const { token } = await member('owner')
    const made = await service.call('POST', '/v1/console/api-keys', {
      key: token,
      body: { name: 'first', allowedActions: ['admin', 'search'] },
    })
    expect(made).toMatchObject({ status: 201, body: { secret: expect.stringMatching(/^svc_/) } })
    const { secret, apiKey } = made.body
    expect((await get('/v1/api-keys', secret)).status).toBe(200)
    const path = `/v1/console/api-keys/${apiKey.id}`
    expect((await service.call('DELETE', path, { key: token })).status).toBe(200)
    expect((await get('/v1/api-keys', secret)).status).toBe(401)
  })

  it('shows what live keys of this workspace sent in the last minute, by action [CON-20]', async () => {
    const { token } = await member('admin')
    const [used, gone] = [await organization.mint(), await organization.mint()]
    // A key without requests.
    await organization.mint()
    const stranger = await service.organization()
    const send = (key: string, path = '/v1/search') =>
      service.call('POST', path, { key, body: { query: 'x' } })
    for (const key of [used.secret, used.secret, gone.secret, stranger.adminKey]) await send(key)
    await send(used.secret, '/v1/context')
    await service.call('POST', '/v1/console/search', { key: token, body: { query: 'x' } })
    await service.call('DELETE', `/v1/console/api-keys/${gone.id}`, { key: token })
    const { status, body } = await get('/v1/console/rate-limits', token)
    expect(status).toBe(200)
    expect(body).toEqual({
      requestsPerMinute: 100_000,
      windows: [
        { apiKeyId: used.id, action: 'search', requests: 2, remaining: 99_998, resetAt: aTime },
        { apiKeyId: used.id, action: 'context', requests: 1, remaining: 99_999, resetAt: aTime },
      ],
    })
  })

  it('returns 503 without a payment processor [ERR-12]', async () => {
    const { token } = await member('owner')
    const checkout = await service.call('POST', '/v1/console/billing/checkout', {
      key: token,
      body: { tier: 'studio', interval: 'annual' },
    })
    const portal = await service.call('POST', '/v1/console/billing/portal', { key: token })
    for (const answer of [checkout, portal]) {
      expect(answer).toMatchObject({ status: 503, body: { code: 'not_configured' } })
    }
  })
})

describe('a console token', () => {
  const me = async (token: string) => {
    const { status, body } = await get('/v1/console/me', token)
    return [status, body.code]
  }

  it('is refused for another audience or issuer, and after it expires [AUTH-5, SURF-2]', async () => {
    expect((await me(await issuer.token()))[0]).toBe(200)
    for (const wrong of [{ audience: 'other' }, { issuer: 'https://evil.example' }, { expiresIn: -60 }]) {
      expect(await me(await issuer.token(wrong)), JSON.stringify(wrong)).toEqual([401, 'unauthenticated'])
    }
  })

  it('is refused with a shared-secret algorithm, without one, and with another key [AUTH-5]', async () => {
    const claims = {
      iss: issuer.url,
      aud: ISSUER_AUDIENCE,
      sub: 'ada',
      exp: Math.floor(Date.now() / 1000) + 600,
    }
    const stranger = await generateKeyPair('ES256')
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const forged = [
      await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'test' }).sign(new Uint8Array(32)),
      await new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'test' }).sign(stranger.privateKey),
      await new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'new' }).sign(stranger.privateKey),
      `${encode({ alg: 'none' })}.${encode(claims)}.`,
      `${encode({ alg: 'ES256', kid: 'test', crit: ['x'], x: 1 })}.${encode(claims)}.AAAA`,
      `${encode({ alg: 7 })}.${encode(claims)}.AAAA`,
      `${encode([])}.${encode([])}.AAAA`,
      '..',
      'a.b.c.d.e',
      'ü.ü.ü',
    ]
    for (const token of forged) expect(await me(token), token).toEqual([401, 'unauthenticated'])
  })

  it('is not an API key, nor the reverse [SURF-1, SURF-2, AUTH-1]', async () => {
    const { token } = await member('owner')
    expect(await me(organization.adminKey)).toEqual([401, 'unauthenticated'])
    expect((await get('/v1/sources', token)).status).toBe(401)
  })

  it('cannot be verified while its issuer is down: 502, not 401', async () => {
    const away: Server = createServer((_request, response) => response.writeHead(500).end())
    await new Promise<void>((resolve) => away.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(away.address() as AddressInfo).port}`
    const lonely = await startTestService({
      database: service.database,
      environment: { OIDC_ISSUER: url, OIDC_AUDIENCE: 'x' },
    })
    try {
      const answer = await lonely.call('GET', '/v1/console/me', { key: await issuer.token() })
      expect(answer).toMatchObject({ status: 502, body: { code: 'upstream_error' } })
    } finally {
      await lonely.close()
      away.close()
    }
  })

  it.each([
    // Only the setting counts here; the test listens on loopback.
    ['listens to others', { HOST: '0.0.0.0' }, 'HOST'],
    ['is reached by others', { PUBLIC_URL: 'https://memory.example.com' }, 'PUBLIC_URL'],
    ['is reached by a name like loopback', { PUBLIC_URL: 'http://127.evil.example' }, 'PUBLIC_URL'],
  ])(
    'is not possible when the service %s and no issuer is set: 503 [ERR-12, AUTH-7]',
    async (_what, environment, named) => {
      const open = await startTestService({ database: service.database, environment })
      try {
        const answer = await open.call('GET', '/v1/console/me', { key: await issuer.token() })
        expect(answer).toMatchObject({ status: 503, body: { code: 'not_configured' } })
        for (const setting of ['OIDC_ISSUER', 'OIDC_AUDIENCE', named])
          expect(answer.body.error).toContain(setting)
        for (const path of ['.well-known/openid-configuration', 'authorize', 'token', 'jwks']) {
          const issued = await open.call('GET', `/oidc/${path}`)
          expect(issued).toMatchObject({ status: 404, body: { code: 'not_found' } })
        }
        // Keys keep working.
        const { adminKey } = await open.organization()
        expect((await open.call('GET', '/v1/sources', { key: adminKey })).status).toBe(200)
      } finally {
        await open.close()
      }
    },
  )
})

describe('the development issuer', () => {
  it('answers only on loopback: no other name, and no proxy [AUTH-6, AUTH-7]', async () => {
    const development = await startTestService({ database: service.database })
    try {
      const status = (headers: Record<string, string>) =>
        new Promise<number | undefined>((resolve, reject) => {
          const path = '/oidc/.well-known/openid-configuration'
          request(development.url + path, { headers }, (response) => {
            response.resume()
            resolve(response.statusCode)
          })
            .on('error', reject)
            .end()
        })
      expect(await status({ Host: 'evil.example' })).toBe(403)
      expect(await status({ Host: '127.0.0.1.evil.example' })).toBe(403)
      expect(await status({ 'X-Forwarded-For': '203.0.113.9' })).toBe(403)
      expect(await status({ Forwarded: 'for=203.0.113.9' })).toBe(403)
      expect(await status({ Host: 'localhost:8787' })).toBe(200)
    } finally {
      await development.close()
    }
  })

  it('also runs when the public URL is a loopback address [AUTH-6]', async () => {
    const environment = { PUBLIC_URL: 'http://localhost:8787' }
    const development = await startTestService({ database: service.database, environment })
    try {
      const path = '/oidc/.well-known/openid-configuration'
      expect((await development.call('GET', path)).status).toBe(200)
    } finally {
      await development.close()
    }
  })
})
