import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

export const ISSUER_AUDIENCE = 'memory-tests'

export interface TokenClaims {
  subject?: string
  email?: string
  /** Omitted from the token by default. */
  emailVerified?: boolean
  name?: string
  audience?: string
  issuer?: string
  /** Seconds from now. */
  expiresIn?: number
}

export interface TestIssuer {
  url: string
  /** The settings of a service that trusts it. */
  environment: Record<string, string>
  token(claims?: TokenClaims): Promise<string>
  close(): Promise<void>
}

/** An OpenID Connect issuer on loopback: discovery, published keys, and tokens for any user the test names. */
export async function startIssuer(): Promise<TestIssuer> {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'test', alg: 'ES256' }
  let url = ''
  const server = createServer((request, response) => {
    response.setHeader('Content-Type', 'application/json')
    const isKeys = request.url === '/keys'
    response.end(JSON.stringify(isKeys ? { keys: [jwk] } : { issuer: url, jwks_uri: `${url}/keys` }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    environment: { OIDC_ISSUER: url, OIDC_AUDIENCE: ISSUER_AUDIENCE },
    token: ({ subject = 'ada', email, emailVerified, name, audience, issuer, expiresIn = 3600 } = {}) =>
      new SignJWT({
        email: email ?? `${subject}@example.com`,
        ...(emailVerified === undefined ? {} : { email_verified: emailVerified }),
        name: name ?? subject,
      })
        .setProtectedHeader({ alg: 'ES256', kid: 'test' })
        .setIssuer(issuer ?? url)
        .setAudience(audience ?? ISSUER_AUDIENCE)
        .setSubject(subject)
        .setExpirationTime(Math.floor(Date.now() / 1000) + expiresIn)
        .sign(privateKey),
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()))
        server.closeAllConnections()
      }),
  }
}
