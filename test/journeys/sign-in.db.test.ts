import { hash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ensureLocalWorkspace } from '../../src/bootstrap/index.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { startTestService, type TestService } from '../support/service.ts'

let service: TestService

beforeAll(async () => {
  service = await startTestService()
  await ensureLocalWorkspace(service.database.db, systemClock, undefined)
})
afterAll(() => service.close())

const CLIENT = { client_id: 'command-line', redirect_uri: 'http://127.0.0.1/callback' }

/** The authorization code flow with PKCE (RFC 7636), as the command line runs it. */
async function signIn(email?: string): Promise<{ access_token: string; token_type: string }> {
  const discovery = await service.call('GET', '/oidc/.well-known/openid-configuration')
  const verifier = randomBytes(32).toString('base64url')
  const authorize = new URL(discovery.body.authorization_endpoint)
  authorize.search = new URLSearchParams({
    ...CLIENT,
    response_type: 'code',
    scope: 'openid profile email',
    code_challenge: hash('sha256', verifier, 'base64url'),
    code_challenge_method: 'S256',
    state: 'abc',
    ...(email === undefined ? {} : { login_hint: email }),
  }).toString()
  const redirect = await fetch(authorize, { redirect: 'manual' })
  expect(redirect.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/)
  const callback = new URL(redirect.headers.get('location') ?? '')
  expect(callback.href.startsWith(CLIENT.redirect_uri)).toBe(true)
  expect(callback.searchParams.get('state')).toBe('abc')
  const response = await fetch(discovery.body.token_endpoint, {
    method: 'POST',
    body: new URLSearchParams({
      ...CLIENT,
      grant_type: 'authorization_code',
      code: callback.searchParams.get('code') ?? '',
      code_verifier: verifier,
    }),
  })
  expect(response.status).toBe(200)
  const token: { access_token: string; token_type: string } = JSON.parse(await response.text())
  return token
}

describe('signing in on a local deployment', () => {
  it('needs no account, and enters the local workspace as its owner [AUTH-6, CON-1]', async () => {
    const { access_token: key, token_type } = await signIn()
    expect(token_type).toBe('Bearer')
    const me = await service.call('GET', '/v1/console/me', { key })
    expect(me).toMatchObject({
      status: 200,
      body: {
        user: { email: 'developer@localhost', name: 'developer' },
        organizations: [{ name: 'Local workspace', role: 'owner' }],
      },
    })
    const search = await service.call('POST', '/v1/console/search', { key, body: { query: 'x' } })
    expect(search.status).toBe(200)
    const keys = await service.call('GET', '/v1/console/api-keys', { key })
    expect(keys.body.apiKeys).toMatchObject([{ name: 'Local admin' }])
  })

  it('is possible as another user with login_hint [AUTH-6]', async () => {
    const { access_token: key } = await signIn('ada@example.com')
    const { body } = await service.call('GET', '/v1/console/me', { key })
    expect(body.user).toMatchObject({ email: 'ada@example.com', name: 'ada' })
  })

  it('yields tokens that the agent surface refuses [SURF-1]', async () => {
    const { access_token: key } = await signIn()
    expect((await service.call('GET', '/v1/sources', { key })).status).toBe(401)
  })
})
