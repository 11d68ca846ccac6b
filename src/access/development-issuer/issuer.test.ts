import { hash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, request as httpRequest, type Server } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeJwt, jwtVerify } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createDevelopmentIssuer, DEVELOPMENT_AUDIENCE, type DevelopmentIssuer } from './issuer.ts'

const VERIFIER = 'v'.repeat(43)
const CHALLENGE = hash('sha256', VERIFIER, 'base64url')
const START = new Date('2026-05-04T10:20:30.000Z')

let now = START
let dataDir: string
let server: Server
let url: string
let issuer: DevelopmentIssuer

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'issuer-'))
  server = createServer((request, response) => {
    issuer.handle(request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  issuer = await createDevelopmentIssuer({ publicUrl: url, dataDir, clock: { now: () => now } })
})
beforeEach(() => {
  now = START
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await rm(dataDir, { recursive: true, force: true })
})

const redirectUri = () => `${url}/console/callback`

const asked = (different: Record<string, string | undefined> = {}): URLSearchParams => {
  const parameters = {
    client_id: 'console',
    response_type: 'code',
    redirect_uri: redirectUri(),
    scope: 'openid profile email offline_access',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    state: 'the state',
    nonce: 'the nonce',
    ...different,
  }
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) given.set(name, value)
  return given
}

const authorize = (query: URLSearchParams) =>
  fetch(`${url}/oidc/authorize?${query.toString()}`, { redirect: 'manual' })

async function back(different: Record<string, string | undefined> = {}): Promise<URL> {
  const response = await authorize(asked(different))
  expect(response.status, await response.text()).toBe(302)
  return new URL(response.headers.get('location') ?? '')
}

const code = async (different: Record<string, string | undefined> = {}): Promise<string> =>
  (await back(different)).searchParams.get('code') ?? 'none'

/** The parsed body of a response, whose fields the tests assert. */
// oxlint-disable-next-line typescript/no-explicit-any
type Body = any

async function post(form: Record<string, string>, headers: Record<string, string> = {}) {
  const response = await fetch(`${url}/oidc/token`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: 'console', ...form }),
    headers,
  })
  const body: Body = await response.json()
  return { status: response.status, headers: response.headers, body }
}

const redeem = async (given: string, different: Record<string, string> = {}) =>
  await post({
    grant_type: 'authorization_code',
    code: given,
    redirect_uri: redirectUri(),
    code_verifier: VERIFIER,
    ...different,
  })

const refresh = (token: string, different: Record<string, string> = {}) =>
  post({ grant_type: 'refresh_token', refresh_token: token, ...different })

const INVALID_GRANT = { status: 400, body: { error: 'invalid_grant' } }

describe('signing in', () => {
  it('redirects a browser with a code that buys tokens for the console API and the client', async () => {
    const { searchParams, href } = await back({ login_hint: 'ada@example.com' })
    expect(href.startsWith(`${redirectUri()}?`)).toBe(true)
    expect(searchParams.get('state')).toBe('the state')
    expect(searchParams.get('iss')).toBe(issuer.issuer)
    const { status, body, headers } = await redeem(searchParams.get('code') ?? '')
    expect(status).toBe(200)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(body).toMatchObject({
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'openid profile email offline_access',
    })
    const access = await jwtVerify(body.access_token, issuer.keys, {
      issuer: issuer.issuer,
      audience: DEVELOPMENT_AUDIENCE,
      currentDate: now,
    })
    expect(access.payload).toMatchObject({
      sub: 'ada@example.com',
      email: 'ada@example.com',
      email_verified: true,
      name: 'ada',
    })
    // An ID token is for the client: its audience does not include the console API.
    expect(decodeJwt(body.id_token)).toMatchObject({
      aud: 'console',
      sub: 'ada@example.com',
      nonce: 'the nonce',
      auth_time: START.getTime() / 1000,
    })
    const user = await fetch(`${url}/oidc/userinfo`, {
      headers: { Authorization: `Bearer ${body.access_token}` },
    })
    // The test's clock stands still, so the token is live.
    expect(await user.json()).toEqual({
      sub: 'ada@example.com',
      email: 'ada@example.com',
      email_verified: true,
      name: 'ada',
    })
  })

  it('signs in developer@localhost when the hint is not an address', async () => {
    for (const hint of [undefined, 'nonsense', 'a b@c', `${'x'.repeat(70)}@example.com`]) {
      const { body } = await redeem(await code({ login_hint: hint }))
      expect(decodeJwt(body.id_token).sub).toBe('developer@localhost')
    }
  })

  it('publishes the keys that verify its tokens where discovery says', async () => {
    const discovery: Body = await (await fetch(`${url}/oidc/.well-known/openid-configuration`)).json()
    expect(discovery).toMatchObject({
      issuer: `${url}/oidc`,
      authorization_endpoint: `${url}/oidc/authorize`,
      token_endpoint: `${url}/oidc/token`,
      code_challenge_methods_supported: ['S256'],
    })
    const { keys }: Body = await (await fetch(discovery.jwks_uri)).json()
    expect(keys).toHaveLength(1)
    // The public half, without anything of the private key.
    expect(Object.keys(keys[0]).toSorted()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use'])
  })
})

describe('a code', () => {
  it('works once; using it again revokes the tokens it returned', async () => {
    const given = await code()
    const first = await redeem(given)
    expect(first.status).toBe(200)
    expect(await redeem(given)).toMatchObject(INVALID_GRANT)
    expect(await refresh(first.body.refresh_token)).toMatchObject(INVALID_GRANT)
  })

  it.each([
    ['with another verifier', { code_verifier: 'w'.repeat(43) }],
    ['without a verifier', { code_verifier: '' }],
    ['with the challenge as verifier', { code_verifier: CHALLENGE }],
    ['at another address', { redirect_uri: 'http://127.0.0.1/callback' }],
    ['by another client', { client_id: 'command-line' }],
  ])('buys nothing %s, and is spent', async (_what, different) => {
    const given = await code()
    expect(await redeem(given, different)).toMatchObject(INVALID_GRANT)
    expect(await redeem(given)).toMatchObject(INVALID_GRANT)
  })

  it('lives for a minute', async () => {
    const given = await code()
    now = new Date(START.getTime() + 60_000)
    expect(await redeem(given)).toMatchObject(INVALID_GRANT)
  })
})

describe('a refresh token', () => {
  it('is replaced at each use, and reusing one ends the session', async () => {
    const first = (await redeem(await code())).body.refresh_token
    const second = (await refresh(first)).body.refresh_token
    expect(second).not.toBe(first)
    const third = (await refresh(second)).body.refresh_token
    expect(await refresh(first)).toMatchObject(INVALID_GRANT)
    expect(await refresh(third)).toMatchObject(INVALID_GRANT)
  })

  it('belongs to its client, and lives for a day', async () => {
    const token = (await redeem(await code())).body.refresh_token
    expect(await refresh(token, { client_id: 'command-line' })).toMatchObject(INVALID_GRANT)
    now = new Date(START.getTime() + 24 * 60 * 60_000)
    expect(await refresh(token)).toMatchObject(INVALID_GRANT)
  })

  it('is issued only for offline_access', async () => {
    const { body } = await redeem(await code({ scope: 'openid email' }))
    expect(body).not.toHaveProperty('refresh_token')
  })
})

describe('the authorize page', () => {
  it.each([
    ['another host', 'https://evil.example/console/callback'],
    ['another path', '/console/callback/x'],
    ['a query', '/console/callback?x=1'],
    ['a fragment', '/console/callback#x'],
    ['dots', '/console/x/../callback'],
    ['none', ''],
  ])('never redirects the console to %s', async (_what, uri) => {
    const response = await authorize(asked({ redirect_uri: uri.startsWith('/') ? url + uri : uri }))
    expect(response.status).toBe(400)
    expect(response.headers.get('location')).toBeNull()
  })

  it.each([
    ['http://127.0.0.1/callback', true],
    ['http://127.0.0.1:49152/callback', true],
    ['http://[::1]:49152/callback', true],
    ['http://localhost:49152/callback', false],
    ['https://127.0.0.1:49152/callback', false],
    ['http://127.0.0.1:49152/callback/', false],
    ['http://127.0.0.1:70000/callback', false],
    ['http://127.0.0.1:49152@evil.example/callback', false],
    ['http://127.0.0.1.evil.example/callback', false],
    ['http://evil.example/callback', false],
    ['http://127.0.0.1:49152/callback?x=http://evil.example', false],
  ])('redirects the command line to %s: %s', async (uri, isGood) => {
    const response = await authorize(asked({ client_id: 'command-line', redirect_uri: uri }))
    expect(response.status).toBe(isGood ? 302 : 400)
  })

  it.each([
    ['no PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['an invalid challenge', { code_challenge: 'x' }, 'invalid_request'],
    ['an implicit flow', { response_type: 'token' }, 'unsupported_response_type'],
    ['a fragment', { response_mode: 'fragment' }, 'invalid_request'],
    ['no openid', { scope: 'email' }, 'invalid_scope'],
  ])('reports %s to the client, without a code', async (_what, different, error) => {
    const { searchParams } = await back(different)
    expect(searchParams.get('error')).toBe(error)
    expect(searchParams.get('state')).toBe('the state')
    expect(searchParams.has('code')).toBe(false)
  })

  it('accepts only its two clients, and each parameter once', async () => {
    expect((await authorize(asked({ client_id: 'evil' }))).status).toBe(400)
    const twice = asked()
    twice.append('redirect_uri', redirectUri())
    expect((await authorize(twice)).status).toBe(400)
  })
})

describe('signing out', () => {
  it('leads back to the console and nowhere else', async () => {
    const end = (to: string) =>
      fetch(`${url}/oidc/end-session?post_logout_redirect_uri=${encodeURIComponent(to)}&state=s`, {
        redirect: 'manual',
      })
    expect((await end(`${url}/console/`)).headers.get('location')).toBe(`${url}/console/?state=s`)
    expect((await end('https://evil.example/')).status).toBe(400)
  })
})

describe('a caller that may be on another machine', () => {
  const discover = (headers: Record<string, string>): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      httpRequest(`${url}/oidc/.well-known/openid-configuration`, { headers }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
        .on('error', reject)
        .end()
    })

  it.each([
    ['Forwarded', 'for=203.0.113.9'],
    ['X-Forwarded-For', '203.0.113.9'],
    ['X-Forwarded-Host', 'memory.example.com'],
    ['X-Forwarded-Proto', 'https'],
    ['x-forwarded-anything', ''],
    ['X-Forwarded', 'x'],
    ['X-Real-IP', '203.0.113.9'],
    ['Via', '1.1 proxy'],
    ['Host', 'evil.example'],
    ['Host', '127.0.0.1.evil.example'],
    ['Host', '127.evil.example'],
    ['Origin', 'https://evil.example'],
    ['Origin', 'http://127.0.0.1:1'],
    ['Origin', 'null'],
  ])('is refused, as %s: %s shows', async (name, value) => {
    expect(await discover({ [name]: value })).toBe(403)
  })

  it('is refused over HTTP/1.0, which nginx speaks to its upstreams', async () => {
    const { port } = new URL(url)
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), '127.0.0.1', () =>
        socket.write(
          `GET /oidc/.well-known/openid-configuration HTTP/1.0\r\nHost: 127.0.0.1:${port}\r\n\r\n`,
        ),
      )
      let received = ''
      socket.on('data', (data: Buffer) => (received += data.toString('utf8')))
      socket.on('end', () => resolve(received))
      socket.on('error', reject)
    })
    expect(answer).toMatch(/^HTTP\/1\.1 403 /)
  })

  it("does not include the issuer's own pages, which can read its responses", async () => {
    expect(await discover({ Host: 'localhost:8787' })).toBe(200)
    const { status, headers } = await post({ grant_type: 'refresh_token' }, { Origin: url })
    expect(status).toBe(400)
    expect(headers.get('access-control-allow-origin')).toBe(url)
    const foreign = await post({ grant_type: 'refresh_token' }, { Origin: 'https://evil.example' })
    expect(foreign.status).toBe(403)
    expect(foreign.headers.get('access-control-allow-origin')).toBeNull()
  })
})
