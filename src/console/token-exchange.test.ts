import type { IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { toAppError } from '../http/error-response.ts'
import { addSignInRoutes } from './sign-in-routes.ts'
import { createTokenExchange } from './token-exchange.ts'

const PUBLIC_URL = 'https://memory.example.com'
const VERIFIER = 'v'.repeat(43)
const CODE = {
  grant_type: 'authorization_code',
  code: 'the-code',
  code_verifier: VERIFIER,
  redirect_uri: `${PUBLIC_URL}/console/callback`,
}

let server: FastifyInstance
let authMethods: string[] | undefined
let sent: { headers: Headers; form: Record<string, string> }[]
let answer: () => Response

beforeEach(() => {
  authMethods = ['client_secret_post', 'client_secret_basic']
  sent = []
  answer = () =>
    Response.json({ access_token: 'at', id_token: 'it', token_type: 'Bearer', expires_in: 3600, x: 1 })
  server = Fastify()
  server.decorate('publicUrl', () => PUBLIC_URL)
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', (_request: FastifyRequest, payload: IncomingMessage) => buffer(payload))
  server.setErrorHandler((error, _request, reply) => {
    const { status, code, message, facts } = toAppError(error)
    return reply.code(status).send({ code, message, facts })
  })
  addSignInRoutes(server, {
    endpoints: async () => ({
      issuer: 'https://id.example.com',
      authorization_endpoint: 'https://id.example.com/authorize',
    }),
    exchange: createTokenExchange({
      clientId: 'console',
      clientSecret: 'a secret/ü',
      endpoint: async () => ({ url: 'https://id.example.com/token', authMethods }),
      fetch: async (input, init) => {
        const request = new Request(input, init)
        const form = Object.fromEntries(new URLSearchParams(await request.text()))
        sent.push({ headers: request.headers, form })
        return answer()
      },
    }),
  })
})
afterEach(() => server.close())

const post = (form: Record<string, string>, headers: Record<string, string> = { origin: PUBLIC_URL }) =>
  server.inject({
    method: 'POST',
    url: '/console/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: new URLSearchParams(form).toString(),
  })

describe('the sign-in of a client with a secret', () => {
  it('points the page to this service for tokens, and to the issuer for everything else', async () => {
    const { body, headers } = await server.inject('/console/openid-configuration')
    expect(JSON.parse(body)).toEqual({
      issuer: 'https://id.example.com',
      authorization_endpoint: 'https://id.example.com/authorize',
      token_endpoint: `${PUBLIC_URL}/console/token`,
    })
    expect(headers['cache-control']).toBe('no-store')
  })

  it('redeems a code with its verifier, adds the secret, and returns only the declared tokens', async () => {
    const { statusCode, body, headers } = await post(CODE)
    expect(statusCode).toBe(200)
    expect(headers['cache-control']).toBe('no-store')
    expect(JSON.parse(body)).toEqual({
      access_token: 'at',
      id_token: 'it',
      token_type: 'Bearer',
      expires_in: 3600,
    })
    expect(sent[0]?.form).toEqual({ ...CODE, client_id: 'console' })
    const basic = Buffer.from('console:a+secret%2F%C3%BC').toString('base64')
    expect(sent[0]?.headers.get('authorization')).toBe(`Basic ${basic}`)
  })

  it('sends the secret in the form when the issuer accepts it only there', async () => {
    authMethods = ['client_secret_post']
    await post({ grant_type: 'refresh_token', refresh_token: 'rt', client_secret: 'theirs', audience: 'x' })
    expect(sent[0]?.form).toEqual({
      grant_type: 'refresh_token',
      refresh_token: 'rt',
      client_id: 'console',
      client_secret: 'a secret/ü',
    })
    expect(sent[0]?.headers.get('authorization')).toBeNull()
  })

  it.each([
    ['no verifier', { ...CODE, code_verifier: '' }],
    ['another redirect address', { ...CODE, redirect_uri: 'https://evil.example/callback' }],
    ['another grant', { grant_type: 'client_credentials' }],
    ['nothing', {}],
  ])('refuses a form with %s without asking the issuer', async (_what, form) => {
    expect(await post(form)).toMatchObject({ statusCode: 400 })
    expect(sent).toEqual([])
  })

  it.each([[{}], [{ origin: 'https://evil.example' }], [{ origin: 'null' }]])(
    'refuses a request with the headers %j, which the page would not send',
    async (headers) => {
      expect((await post(CODE, headers)).json()).toMatchObject({ code: 'origin_not_allowed' })
      expect(sent).toEqual([])
    },
  )

  it("passes on the issuer's refusal of a code as an OAuth error", async () => {
    answer = () => Response.json({ error: 'invalid_grant', error_description: 'Used' }, { status: 400 })
    const { statusCode, body } = await post(CODE)
    expect(statusCode).toBe(400)
    expect(JSON.parse(body)).toEqual({ error: 'invalid_grant', error_description: 'Used' })
  })

  it('names the settings to check when the issuer refuses the client', async () => {
    answer = () => Response.json({ error: 'invalid_client' }, { status: 401 })
    expect((await post(CODE)).json()).toMatchObject({
      code: 'not_configured',
      message: expect.stringContaining('OIDC_CLIENT_SECRET'),
      facts: { signInFailure: 'client', error: 'invalid_client' },
    })
  })

  it.each([
    ['an error page', () => new Response('<h1>oops</h1>', { status: 500 })],
    ['something else', () => Response.json({ hello: 1 })],
    ['a redirect', () => new Response(null, { status: 302, headers: { location: 'https://evil.example' } })],
  ])('returns 502 when the issuer answers with %s', async (_what, made) => {
    answer = made
    expect((await post(CODE)).json()).toMatchObject({ code: 'upstream_error' })
  })
})
