import type { Clock } from '../../../kernel/clock.ts'
import { type Credentials, type OAuthHalf, ProviderError, returnIf } from '../../adapter.ts'
import { createOAuth, type OAuthOptions } from '../../oauth.ts'
import { GoogleError, googleErrorOf } from './error.ts'

export interface GoogleSettings {
  clientId: string
  clientSecret: string
  /** Origin that replaces https://www.googleapis.com; null: Google itself. */
  apiUrl: string | null
  /** Replaces https://accounts.google.com and https://oauth2.googleapis.com; null: Google itself. */
  authUrl: string | null
}

/** The OAuth half of a Google adapter: PKCE, and `prompt=consent`, without which there is no refresh token. */
export function createGoogleOAuth({
  settings: { clientId, clientSecret, authUrl },
  scope,
  clock,
  identify,
}: {
  settings: GoogleSettings
  scope: string
  clock: Clock
  identify: OAuthOptions['identify']
}): OAuthHalf {
  const tokens = authUrl ?? 'https://oauth2.googleapis.com'
  const oauth = createOAuth({
    name: 'Google',
    clientId,
    clientSecret,
    authorizeUrl: `${authUrl ?? 'https://accounts.google.com'}/o/oauth2/v2/auth`,
    tokenUrl: `${tokens}/token`,
    // https://developers.google.com/identity/protocols/oauth2/web-server#tokenrevoke
    revokeUrl: `${tokens}/revoke`,
    revokesInAddress: true,
    scopes: [scope],
    parameters: { access_type: 'offline', prompt: 'consent' },
    now: () => clock.now(),
    refused: googleErrorOf,
    identify(get, credentials, answer) {
      requireGrant(credentials, scope)
      return identify(get, credentials, answer)
    },
  })
  return {
    ...oauth,
    revoke: (credentials, signal) => oauth.revoke(credentials, signal).catch(returnIf(isRevoked, undefined)),
  }
}

function requireGrant({ scopes, refreshToken }: Credentials, scope: string): void {
  if (!scopes.includes(scope))
    throw new ProviderError(
      'auth',
      `Google did not grant ${scope}. Connect again and leave its box selected.`,
    )
  if (refreshToken === null)
    throw new ProviderError(
      'auth',
      'Google gave no refresh token. Remove this app at https://myaccount.google.com/connections and connect again.',
    )
}

const isRevoked = (error: unknown): boolean =>
  error instanceof GoogleError && ['invalid_token', 'invalid_grant'].includes(error.reason ?? '')
