import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../kernel/clock.ts'
import type { Identity } from '../organizations/index.ts'
import { createIssuer } from './remote-issuer.ts'
import { createTokenVerifier } from './verify-token.ts'

let server: Server
let issuer: string
let key: CryptoKey
let stranger: CryptoKey
let verify: (token: string) => Promise<Identity>

beforeAll(async () => {
  const pair = await generateKeyPair('ES256')
  key = pair.privateKey
  stranger = (await generateKeyPair('ES256')).privateKey
  const jwk = { ...(await exportJWK(pair.publicKey)), kid: 'k1', alg: 'ES256' }
  server = createServer((request, response) => {
    response.setHeader('Content-Type', 'application/json')
    const document = request.url === '/keys' ? { keys: [jwk] } : { issuer, jwks_uri: `${issuer}/keys` }
    response.end(JSON.stringify(document))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  verify = verifier(fetch)
})

afterAll(() => server.close())

function verifier(fetchFrom: typeof fetch): (token: string) => Promise<Identity> {
  const verifyToken = createTokenVerifier({
    issuer,
    audience: 'memory',
    keys: createIssuer(issuer, fetchFrom).keys,
    clock: systemClock,
  })
  return (bearer) => verifyToken(`Bearer ${bearer}`)
}

interface Made {
  issuer?: string
  audience?: string
  expiresAt?: string | number
  notBefore?: string
  keyId?: string
  signedBy?: CryptoKey
  subject?: string
  email?: string
  name?: string
  emailVerified?: unknown
}

async function token(made: Made = {}): Promise<string> {
  const jwt = new SignJWT({
    email: made.email ?? 'ada@example.com',
    name: made.name ?? 'Ada',
    ...(made.emailVerified === undefined ? {} : { email_verified: made.emailVerified }),
  })
    .setProtectedHeader({ alg: 'ES256', kid: made.keyId ?? 'k1' })
    .setIssuer(made.issuer ?? issuer)
    .setAudience(made.audience ?? 'memory')
    .setSubject(made.subject ?? 'ada')
  if (made.notBefore !== undefined) jwt.setNotBefore(made.notBefore)
  if (made.expiresAt !== 0) jwt.setExpirationTime(made.expiresAt ?? '1h')
  return await jwt.sign(made.signedBy ?? key)
}

describe('a console token', () => {
  it('identifies its person when the issuer signed it for this audience', async () => {
    expect(await verify(await token())).toEqual({
      issuer,
      subject: 'ada',
      email: 'ada@example.com',
      emailVerified: false,
      name: 'Ada',
    })
  })

  it.each([
    [true, true],
    ['true', true],
    [false, false],
    ['false', false],
    [1, false],
    [null, false],
  ])('with email_verified %j has a verified address: %s', async (emailVerified, isVerified) => {
    expect(await verify(await token({ emailVerified }))).toMatchObject({ emailVerified: isVerified })
  })

  it('is accepted from an issuer whose name ends with a slash, which settings drop', async () => {
    expect(await verify(await token({ issuer: `${issuer}/` }))).toMatchObject({ issuer, subject: 'ada' })
  })

  it('identifies its person in text that can be stored', async () => {
    expect(await verify(await token({ name: 'A\0da' }))).toMatchObject({ name: 'Ada' })
  })

  it.each(['ada@example.com\0', 'a\0da@example.com', 'ada@example.com\ud800'])(
    "loses the email address %j, which cleaning would turn into another person's",
    async (email) => {
      const identity = await verify(await token({ email, emailVerified: true }))
      expect(identity).toMatchObject({ email: null, emailVerified: false })
    },
  )

  it.each([
    ['of another issuer', { issuer: 'https://evil.example' }, 'issuer', /OIDC_ISSUER/],
    [
      'of another issuer with its own key',
      { issuer: 'https://evil.example', keyId: 'k9' },
      'issuer',
      /OIDC_ISSUER/,
    ],
    ['for another audience', { audience: 'other' }, 'audience', /OIDC_AUDIENCE/],
    ['that has expired', { expiresAt: '-1h' }, 'clock', /expired; sign in again/],
    ['that is not valid yet', { notBefore: '2m' }, 'clock', /clocks/],
    ['that never expires', { expiresAt: 0 }, 'claims', /"exp"/],
    ['without a subject', { subject: '' }, 'claims', /"sub"/],
    ['whose subject cannot be stored', { subject: 'a\0da' }, 'claims', /"sub"/],
    ['with an unknown key', { keyId: 'k9' }, 'key', /does not publish/],
  ] as [string, Made, string, RegExp][])(
    'is refused %s, with the cause in the log and a check for the sender',
    async (_what, made, signInFailure, message) => {
      await expect(verify(await token(made))).rejects.toMatchObject({
        code: 'unauthenticated',
        status: 401,
        message: expect.stringMatching(message),
        facts: expect.objectContaining({ signInFailure }),
      })
    },
  )

  it("can be half a minute expired, or not yet valid, by this machine's clock", async () => {
    expect(await verify(await token({ expiresAt: '-30s' }))).toMatchObject({ subject: 'ada' })
    expect(await verify(await token({ notBefore: '30s' }))).toMatchObject({ subject: 'ada' })
  })

  it('is refused when another key signed it', async () => {
    await expect(verify(await token({ signedBy: stranger }))).rejects.toMatchObject({
      code: 'unauthenticated',
      facts: { signInFailure: 'key', keyId: 'k1', algorithm: 'ES256' },
    })
  })

  it('is refused when it is unsigned, or signed with a shared secret', async () => {
    const [, payload] = (await token()).split('.')
    const header = (alg: string) => Buffer.from(JSON.stringify({ alg, kid: 'k1' })).toString('base64url')
    await expect(verify(`${header('none')}.${payload}.`)).rejects.toMatchObject({ code: 'unauthenticated' })
    const hmac = await new SignJWT({ sub: 'ada' })
      .setProtectedHeader({ alg: 'HS256', kid: 'k1' })
      .setIssuer(issuer)
      .setAudience('memory')
      .setExpirationTime('1h')
      .sign(new TextEncoder().encode('x'.repeat(32)))
    await expect(verify(hmac)).rejects.toMatchObject({ code: 'unauthenticated' })
  })

  it('is refused when its key is unknown and its payload is not JSON', async () => {
    const header = Buffer.from(JSON.stringify({ alg: 'ES256', kid: 'k9' })).toString('base64url')
    await expect(verify(`${header}.bm9pc2U.c2ln`)).rejects.toMatchObject({
      code: 'unauthenticated',
      facts: { signInFailure: 'issuer', received: null },
    })
  })

  it('is refused when it is not a token: nothing, an API key, noise', async () => {
    for (const bearer of ['', `svc_${'a'.repeat(43)}`, 'noise', 'a.b.c']) {
      await expect(verify(bearer)).rejects.toMatchObject({ code: 'unauthenticated' })
    }
  })

  it('fails with an upstream error while the issuer answers with error pages', async () => {
    const broken: typeof fetch = async (input, init) =>
      String(input).endsWith('/keys') ? new Response('oops', { status: 500 }) : await fetch(input, init)
    const patient = verifier(broken)
    await expect(patient(await token())).rejects.toMatchObject({ code: 'upstream_error' })
  })

  it('fails with an upstream error while the issuer is down, and passes again afterward', async () => {
    let down = true
    const flaky: typeof fetch = (input, init) =>
      down ? Promise.reject(new Error('ECONNREFUSED')) : fetch(input, init)
    const patient = verifier(flaky)
    await expect(patient(await token())).rejects.toMatchObject({ code: 'upstream_error', status: 502 })
    down = false
    expect(await patient(await token())).toMatchObject({ subject: 'ada' })
  })
})
