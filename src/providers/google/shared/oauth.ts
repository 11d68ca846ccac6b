import { CodeChallengeMethod, OAuth2Client, type Credentials as GoogleTokens } from 'google-auth-library'
import type { Clock } from '../../../kernel/clock.ts'
import { ProviderError, type ConnectedAccount, type Credentials, type OAuthHalf } from '../../adapter.ts'
import { GoogleError, toGoogleError } from './error.ts'

const OAUTH_TIMEOUT_MS = 30_000

export interface GoogleSettings {
  clientId: string
  clientSecret: string
  /** Origin that replaces https://www.googleapis.com; null: Google itself. */
  apiUrl: string | null
  /** Replaces https://accounts.google.com and https://oauth2.googleapis.com; null: Google itself. */
  authUrl: string | null
}

export interface GoogleOAuthOptions {
  settings: GoogleSettings
  scope: string
  clock: Clock
  /** Asks the API for the token's account. */
  lookUpAccount(
    accessToken: string,
    signal: AbortSignal,
  ): Promise<{ externalAccountId: string; displayName: string }>
}

/** The OAuth half of a Google adapter: PKCE, and `prompt=consent`, without which there is no refresh token. */
export function createGoogleOAuth({ settings, scope, clock, lookUpAccount }: GoogleOAuthOptions): OAuthHalf {
  const client = (signal?: AbortSignal) => createClient(settings, signal)

  async function exchangeCode(input: Parameters<OAuthHalf['exchangeCode']>[0]): Promise<ConnectedAccount> {
    const { code, codeVerifier, redirectUri, signal } = input
    const answer = await translated(signal, () =>
      client(signal).getToken({ code, codeVerifier, redirect_uri: redirectUri }),
    )
    // An answer without scopes grants the requested ones (RFC 6749, 5.1).
    const tokens = { scope, ...answer.tokens }
    const credentials = credentialsOf(tokens, clock, null)
    if (!credentials.scopes.includes(scope)) {
      throw new ProviderError(
        'auth',
        `Google did not grant ${scope}. Connect again and leave its box ticked.`,
      )
    }
    if (credentials.refreshToken === null) {
      throw new ProviderError(
        'auth',
        'Google gave no refresh token. Remove this app at https://myaccount.google.com/connections and connect again.',
      )
    }
    const account = await translated(signal, () => lookUpAccount(credentials.accessToken, signal))
    return { ...account, credentials }
  }

  async function refresh(credentials: Credentials, signal: AbortSignal): Promise<Credentials> {
    const { refreshToken } = credentials
    if (refreshToken === null) throw new ProviderError('auth', 'Google gave no refresh token. Connect again.')
    const refreshing = client(signal)
    refreshing.setCredentials({ refresh_token: refreshToken })
    await translated(signal, () => refreshing.getAccessToken())
    return credentialsOf(refreshing.credentials, clock, credentials)
  }

  return {
    usesPkce: true,
    authorizeUrl: ({ state, redirectUri, codeChallenge }) =>
      client().generateAuthUrl({
        access_type: 'offline',
        prompt: 'consent',
        scope,
        state,
        redirect_uri: redirectUri,
        code_challenge: codeChallenge,
        code_challenge_method: CodeChallengeMethod.S256,
      }),
    exchangeCode,
    refresh,
    revoke: (credentials, signal) => revoke(client(signal), credentials, signal),
  }
}

function createClient(settings: GoogleSettings, signal: AbortSignal | undefined): OAuth2Client {
  const base = settings.authUrl?.replace(/\/+$/, '')
  return new OAuth2Client({
    clientId: settings.clientId,
    clientSecret: settings.clientSecret,
    transporterOptions: { timeout: OAUTH_TIMEOUT_MS, redirect: 'error', ...(signal ? { signal } : {}) },
    ...(base === undefined
      ? {}
      : {
          endpoints: {
            oauth2AuthBaseUrl: `${base}/o/oauth2/v2/auth`,
            oauth2TokenUrl: `${base}/token`,
            oauth2RevokeUrl: `${base}/revoke`,
          },
        }),
  })
}

async function revoke(client: OAuth2Client, credentials: Credentials, signal: AbortSignal): Promise<void> {
  try {
    // Revoking the refresh token ends the whole grant, access tokens included.
    await translated(signal, () => client.revokeToken(credentials.refreshToken ?? credentials.accessToken))
  } catch (error) {
    const isGone =
      error instanceof GoogleError && ['invalid_token', 'invalid_grant'].includes(error.reason ?? '')
    if (!isGone) throw error
  }
}

function credentialsOf(tokens: GoogleTokens, clock: Clock, before: Credentials | null): Credentials {
  if (!tokens.access_token) throw new ProviderError('unavailable', 'Google answered without an access token')
  return {
    accessToken: tokens.access_token,
    refreshToken: tokens.refresh_token ?? before?.refreshToken ?? null,
    expiresAt: expiryOf(tokens, clock),
    scopes: tokens.scope?.split(' ') ?? before?.scopes ?? [],
  }
}

// The library turns `expires_in` into a time of the machine's clock; this converts it to the service's clock.
function expiryOf(tokens: GoogleTokens, clock: Clock): Date | null {
  if (!tokens.expiry_date) return null
  return new Date(clock.now().getTime() + tokens.expiry_date - Date.now())
}

async function translated<Result>(signal: AbortSignal, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    signal.throwIfAborted()
    throw toGoogleError(error)
  }
}
