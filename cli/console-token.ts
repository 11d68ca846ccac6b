import { createHash, randomBytes } from 'node:crypto'
import { z } from 'zod'
import { CommandError, ConnectionError, unreachable } from './failures.ts'

const CLIENT_ID = 'command-line'
const REDIRECT_URI = 'http://127.0.0.1/callback'

const TokenResponse = z.object({ access_token: z.string(), expires_in: z.number() })

/** The default user. */
export const DEVELOPER = 'developer@localhost'

/**
 * Signs `email` in at the development issuer of the service at `url`; returns a console token and its lifetime in
 * seconds.
 * @throws CommandError when the service has no such issuer
 */
export async function fetchConsoleToken(
  url: string,
  email: string,
): Promise<{ token: string; expiresIn: number }> {
  const verifier = randomBytes(32).toString('base64url')
  const code = await authorize(url, email, createHash('sha256').update(verifier).digest('base64url'))
  const response = await request(`${url}/oidc/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: CLIENT_ID,
      redirect_uri: REDIRECT_URI,
      code,
      code_verifier: verifier,
    }),
  })
  const answer = TokenResponse.safeParse(await response.json().catch(() => undefined))
  if (!answer.success) throw new CommandError(`${url} returned no token (status ${response.status})`)
  return { token: answer.data.access_token, expiresIn: answer.data.expires_in }
}

/** The authorization code flow with PKCE (RFC 6749, RFC 7636), whose redirect this command reads itself. */
async function authorize(serviceUrl: string, email: string, challenge: string): Promise<string> {
  const query = new URLSearchParams({
    client_id: CLIENT_ID,
    response_type: 'code',
    redirect_uri: REDIRECT_URI,
    scope: 'openid profile email',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    login_hint: email,
  })
  const response = await request(`${serviceUrl}/oidc/authorize?${query.toString()}`, { redirect: 'manual' })
  const back = response.headers.get('location')
  // Another program may redirect to its own sign-in page.
  if (response.status === 302 && back?.startsWith(REDIRECT_URI)) {
    const { searchParams } = new URL(back)
    const code = searchParams.get('code')
    if (code !== null) return code
    throw new CommandError(
      `The issuer refused: ${searchParams.get('error_description') ?? 'no reason given'}`,
    )
  }
  if (response.status === 403) {
    throw new CommandError(
      `${serviceUrl} signs in only users who reach it directly on its own machine; otherwise get a token from your identity provider.`,
    )
  }
  throw new CommandError(
    `${serviceUrl} has no development issuer, which exists only without OIDC_ISSUER and while HOST and PUBLIC_URL are loopback. Get a token from your identity provider.`,
  )
}

async function request(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init)
  } catch (cause) {
    throw new ConnectionError(unreachable(url, cause), { cause })
  }
}
