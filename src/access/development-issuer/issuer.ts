import type { IncomingMessage, ServerResponse } from 'node:http'
import { createLocalJWKSet, importJWK, jwtVerify, type JWTVerifyGetKey, SignJWT } from 'jose'
import type { Clock } from '../../kernel/clock.ts'
import { findClient, isAfterSignOut, isRedirectOf } from './clients.ts'
import { OAuthRefusal, readForm, sendBrowser, sendJson, singleParameters, whyNotLocal } from './oauth-http.ts'
import { createGrants, type Grants, type SignIn } from './grants.ts'
import { keptSigningKey, type SigningKey } from './signing-key.ts'

export const DEVELOPMENT_ISSUER_PATH = '/oidc'
export const DEVELOPMENT_AUDIENCE = 'retrieval-memory-service'
const DEFAULT_EMAIL = 'developer@localhost'
const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,190}$/
/** A SHA-256 in base64url (RFC 7636, 4.2). */
const S256_CHALLENGE = /^[\w-]{43}$/
const SCOPES = ['openid', 'profile', 'email', 'offline_access']
const TOKEN_SECONDS = 3600

export interface DevelopmentIssuer {
  /** Its `iss`: the public URL followed by {@link DEVELOPMENT_ISSUER_PATH}. */
  issuer: string
  keys: JWTVerifyGetKey
  /** Serves every path below {@link DEVELOPMENT_ISSUER_PATH}. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>
}

interface Issuer {
  issuer: string
  publicUrl: string
  key: SigningKey
  keys: JWTVerifyGetKey
  grants: Grants
  clock: Clock
}

/**
 * An OpenID Connect issuer for development. It signs in any caller as `login_hint` or as developer@localhost, so it
 * must run on loopback only and refuses callers that may be on another machine ({@link whyNotLocal}). It supports the
 * authorization code flow with PKCE (RFC 6749, RFC 7636) and rotating refresh tokens, and has no sessions: a foreign
 * page that opens the authorize page only makes it send a code to the person's own client, which did not ask for one.
 */
export async function createDevelopmentIssuer(options: {
  publicUrl: string
  dataDir: string
  clock: Clock
}): Promise<DevelopmentIssuer> {
  const { publicUrl, clock } = options
  const key = await keptSigningKey(options.dataDir)
  const issuer = publicUrl + DEVELOPMENT_ISSUER_PATH
  const keys = createLocalJWKSet(publicKeys(key))
  const own: Issuer = { issuer, publicUrl, key, keys, grants: createGrants(clock), clock }
  return {
    issuer,
    keys,
    async handle(request, response) {
      const reason = whyNotLocal(request, publicUrl)
      if (reason !== null) {
        const error = `The development issuer is for this machine: ${reason}`
        sendJson(response, 403, { error, code: 'action_not_allowed' })
        return
      }
      response.setHeader('X-Content-Type-Options', 'nosniff')
      response.setHeader('Referrer-Policy', 'no-referrer')
      response.setHeader('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'")
      allowOwnPages(request, response)
      try {
        await answer(own, request, response)
      } catch (error) {
        if (!(error instanceof OAuthRefusal)) throw error
        sendJson(response, error.status, { error: error.code, error_description: error.message })
      }
    },
  }
}

/** Other origins never reach this ({@link whyNotLocal}). */
function allowOwnPages({ headers }: IncomingMessage, response: ServerResponse): void {
  response.setHeader('Vary', 'Origin')
  if (headers.origin === undefined) return
  response.setHeader('Access-Control-Allow-Origin', headers.origin)
  response.setHeader('Access-Control-Allow-Headers', 'Authorization, Content-Type')
}

async function answer(own: Issuer, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [path = '', query = ''] = (request.url ?? '').slice(DEVELOPMENT_ISSUER_PATH.length).split('?', 2)
  if (request.method === 'OPTIONS') {
    response.writeHead(204).end()
    return
  }
  switch (`${request.method} ${path}`) {
    case 'GET /.well-known/openid-configuration':
      return sendJson(response, 200, discovery(own))
    case 'GET /jwks':
      return sendJson(response, 200, publicKeys(own.key))
    case 'GET /authorize':
      return authorize(own, singleParameters(new URLSearchParams(query)), response)
    case 'POST /token':
      return sendJson(response, 200, await exchange(own, await readForm(request)))
    case 'GET /userinfo':
    case 'POST /userinfo':
      return sendJson(response, 200, await userinfo(own, request))
    case 'GET /end-session':
      return endSession(own, singleParameters(new URLSearchParams(query)), response)
    default:
      throw new OAuthRefusal('not_found', `There is no ${request.method} ${path} here`, 404)
  }
}

/** OpenID Connect Discovery 1.0, 3. */
function discovery({ issuer }: Issuer): Record<string, unknown> {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    end_session_endpoint: `${issuer}/end-session`,
    jwks_uri: `${issuer}/jwks`,
    scopes_supported: SCOPES,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    token_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    claims_supported: ['sub', 'email', 'email_verified', 'name'],
    authorization_response_iss_parameter_supported: true,
  }
}

function publicKeys({ kty, n, e, kid, alg }: SigningKey) {
  return { keys: [{ kty, n, e, kid, alg, use: 'sig' }] }
}

/** Redirects the browser with a code (RFC 6749, 4.1.2; `iss` by RFC 9207), or with the request's error. */
function authorize(
  { publicUrl, issuer, grants, clock }: Issuer,
  given: ReadonlyMap<string, string>,
  response: ServerResponse,
): void {
  const client = findClient(given.get('client_id'))
  const redirectUri = given.get('redirect_uri') ?? ''
  // These errors are shown to the person, because the redirect address cannot be trusted.
  if (client === undefined) throw new OAuthRefusal('invalid_client', 'There is no such client')
  if (!isRedirectOf(client, redirectUri, publicUrl))
    throw new OAuthRefusal('invalid_request', `redirect_uri is not registered for the client ${client}`)
  const back = { state: given.get('state'), iss: issuer }
  try {
    const { codeChallenge, scope } = authorizeRequest(given)
    const hint = given.get('login_hint') ?? ''
    const signIn: SignIn = {
      client,
      subject: EMAIL.test(hint) ? hint : DEFAULT_EMAIL,
      scope,
      nonce: given.get('nonce'),
      at: Math.floor(clock.now().getTime() / 1000),
    }
    sendBrowser(response, redirectUri, {
      ...back,
      code: grants.issueCode(signIn, { redirectUri, codeChallenge }),
    })
  } catch (error) {
    if (!(error instanceof OAuthRefusal)) throw error
    sendBrowser(response, redirectUri, { ...back, error: error.code, error_description: error.message })
  }
}

/** @throws OAuthRefusal */
function authorizeRequest(given: ReadonlyMap<string, string>): { codeChallenge: string; scope: string } {
  if (given.get('response_type') !== 'code')
    throw new OAuthRefusal('unsupported_response_type', 'response_type must be code')
  if ((given.get('response_mode') ?? 'query') !== 'query')
    throw new OAuthRefusal('invalid_request', 'response_mode must be query')
  const codeChallenge = given.get('code_challenge') ?? ''
  if (given.get('code_challenge_method') !== 'S256' || !S256_CHALLENGE.test(codeChallenge))
    throw new OAuthRefusal(
      'invalid_request',
      'PKCE is required: code_challenge with code_challenge_method S256',
    )
  const asked = (given.get('scope') ?? '').split(' ')
  if (!asked.includes('openid')) throw new OAuthRefusal('invalid_scope', 'scope must contain openid')
  return { codeChallenge, scope: SCOPES.filter((scope) => asked.includes(scope)).join(' ') }
}

/** The token endpoint (RFC 6749, 4.1.3 and 6). @throws OAuthRefusal */
async function exchange(own: Issuer, given: ReadonlyMap<string, string>): Promise<Record<string, unknown>> {
  const client = findClient(given.get('client_id'))
  if (client === undefined) throw new OAuthRefusal('invalid_client', 'There is no such client', 401)
  switch (given.get('grant_type')) {
    case 'authorization_code': {
      const session = own.grants.redeemCode({
        code: given.get('code') ?? '',
        client,
        redirectUri: given.get('redirect_uri') ?? '',
        verifier: given.get('code_verifier') ?? '',
      })
      if (session) return await tokens(own, session)
      throw new OAuthRefusal('invalid_grant', 'The code is unknown, used, expired or from another request')
    }
    case 'refresh_token': {
      const session = own.grants.redeemRefreshToken({ token: given.get('refresh_token') ?? '', client })
      if (session) return await tokens(own, session)
      throw new OAuthRefusal('invalid_grant', 'The refresh token is unknown, used or expired; sign in again')
    }
    default:
      throw new OAuthRefusal(
        'unsupported_grant_type',
        'grant_type must be authorization_code or refresh_token',
      )
  }
}

/** An access token for the console API, an ID token for the client and, with `offline_access`, a refresh token. */
async function tokens(
  { issuer, key, grants, clock }: Issuer,
  session: Parameters<Grants['issueRefreshToken']>[0],
): Promise<Record<string, unknown>> {
  const { client, subject, scope, nonce, at } = session
  const privateKey = await importJWK(key, key.alg)
  const now = Math.floor(clock.now().getTime() / 1000)
  const sign = (audience: string, claims: Record<string, unknown>, typ: string): Promise<string> =>
    new SignJWT({ ...profile(subject), ...claims })
      .setProtectedHeader({ alg: key.alg, kid: key.kid, typ })
      .setIssuer(issuer)
      .setAudience(audience)
      .setIssuedAt(now)
      .setExpirationTime(now + TOKEN_SECONDS)
      .sign(privateKey)
  return {
    access_token: await sign(DEVELOPMENT_AUDIENCE, { client_id: client, scope }, 'at+jwt'),
    id_token: await sign(client, { auth_time: at, nonce }, 'JWT'),
    token_type: 'Bearer',
    expires_in: TOKEN_SECONDS,
    scope,
    ...(scope.includes('offline_access') ? { refresh_token: grants.issueRefreshToken(session) } : {}),
  }
}

function profile(subject: string): { sub: string; email: string; email_verified: true; name: string } {
  return { sub: subject, email: subject, email_verified: true, name: subject.split('@', 1)[0] ?? subject }
}

/** OpenID Connect Core 1.0, 5.3. @throws OAuthRefusal */
async function userinfo(
  { issuer, keys, clock }: Issuer,
  { headers }: IncomingMessage,
): Promise<Record<string, string | boolean>> {
  const token = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1] ?? ''
  try {
    const options = { issuer, audience: DEVELOPMENT_AUDIENCE, currentDate: clock.now() }
    const { payload } = await jwtVerify(token, keys, options)
    return profile(payload.sub ?? '')
  } catch {
    throw new OAuthRefusal('invalid_token', 'Send a valid access token from this issuer', 401)
  }
}

/** OpenID Connect RP-Initiated Logout 1.0. There is no session to end, so it only redirects. */
function endSession(
  { publicUrl }: Issuer,
  given: ReadonlyMap<string, string>,
  response: ServerResponse,
): void {
  const to = given.get('post_logout_redirect_uri') ?? `${publicUrl}/`
  if (!isAfterSignOut(to, publicUrl))
    throw new OAuthRefusal('invalid_request', 'post_logout_redirect_uri is not registered for the console')
  sendBrowser(response, to, { state: given.get('state') })
}
