import { hash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

export const CLIENT = { id: 'console-client', secret: 'never-in-a-browser' }

export interface ConfidentialIssuer {
  url: string
  environment: Record<string, string>
  /** The received requests as `METHOD path`. */
  requests: string[]
  close(): Promise<void>
}

interface Begun {
  challenge: string
  redirectUri: string
  nonce: string | null
}

/**
 * An issuer as strict as Google: only clients with a secret, no `offline_access`, PKCE, and no CORS, so that a page
 * cannot call it. It signs everyone in as Ada.
 */
export async function startConfidentialIssuer(): Promise<ConfidentialIssuer> {
  const { privateKey, publicKey } = await generateKeyPair('RS256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k', alg: 'RS256' }
  const codes = new Map<string, Begun>()
  const requests: string[] = []
  let url = ''

  const discovery = () => ({
    issuer: url,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    jwks_uri: `${url}/keys`,
    scopes_supported: ['openid', 'email', 'profile'],
    token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
  })
  const authorize = (query: URLSearchParams, response: ServerResponse): void => {
    const isComplete =
      query.get('client_id') === CLIENT.id &&
      query.get('scope') === 'openid profile email' &&
      query.get('code_challenge_method') === 'S256'
    const redirectUri = query.get('redirect_uri') ?? ''
    if (!isComplete) {
      response.writeHead(400).end('invalid_request')
      return
    }
    const code = randomUUID()
    codes.set(code, { redirectUri, challenge: query.get('code_challenge') ?? '', nonce: query.get('nonce') })
    const back = new URL(redirectUri)
    back.search = new URLSearchParams({ code, state: query.get('state') ?? '' }).toString()
    response.writeHead(302, { location: back.href }).end()
  }
  const token = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const form = new URLSearchParams(await text(request))
    const basic = `Basic ${Buffer.from(`${CLIENT.id}:${CLIENT.secret}`).toString('base64')}`
    if (request.headers.authorization !== basic) return sendJson(response, 401, { error: 'invalid_client' })
    const begun = codes.get(form.get('code') ?? '')
    codes.delete(form.get('code') ?? '')
    const challenge = hash('sha256', form.get('code_verifier') ?? '', 'base64url')
    if (begun?.challenge !== challenge || begun.redirectUri !== form.get('redirect_uri'))
      return sendJson(response, 400, { error: 'invalid_grant' })
    const idToken = await new SignJWT({
      email: 'ada@example.com',
      name: 'Ada',
      nonce: begun.nonce ?? undefined,
    })
      .setProtectedHeader({ alg: 'RS256', kid: 'k' })
      .setIssuer(url)
      .setAudience(CLIENT.id)
      .setSubject('ada')
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(privateKey)
    sendJson(response, 200, {
      access_token: 'opaque',
      id_token: idToken,
      token_type: 'Bearer',
      expires_in: 3600,
    })
  }
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', url)
    requests.push(`${request.method} ${pathname}`)
    if (pathname === '/authorize') authorize(searchParams, response)
    else if (pathname === '/token') void token(request, response)
    else sendJson(response, 200, pathname === '/keys' ? { keys: [jwk] } : discovery())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    requests,
    environment: {
      OIDC_ISSUER: url,
      OIDC_AUDIENCE: CLIENT.id,
      OIDC_CLIENT_ID: CLIENT.id,
      OIDC_CLIENT_SECRET: CLIENT.secret,
    },
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()))
        server.closeAllConnections()
      }),
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
