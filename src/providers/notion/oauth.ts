import { type Client, isHTTPResponseError, type OauthTokenResponse } from '@notionhq/client'
import { type Credentials, type OAuthHalf, ProviderError, returnIf } from '../adapter.ts'
import { createNotionClient, toNotionError } from './client.ts'

const REQUEST_TIMEOUT_MS = 15_000

export interface NotionOAuthOptions {
  clientId: string
  clientSecret: string
  /** Replaces `https://api.notion.com`. */
  apiUrl: string
  now: () => Date
}

/** The OAuth half of the adapter (developers.notion.com/guides/get-started/authorization). */
export function createNotionOAuth({ clientId, clientSecret, apiUrl, now }: NotionOAuthOptions): OAuthHalf {
  async function call<Answer>(signal: AbortSignal, request: (client: Client) => Promise<Answer>) {
    try {
      return await request(createNotionClient(apiUrl, REQUEST_TIMEOUT_MS, signal))
    } catch (error) {
      const failure = toNotionError(error, now())
      // `invalid_grant` is a 400: the code or refresh token is used, expired or not ours (RFC 6749 §5.2).
      if (!isHTTPResponseError(error) || error.status !== 400 || failure === null) throw failure ?? error
      throw new ProviderError('auth', failure.message, {
        ...(failure.code ? { code: failure.code } : {}),
        cause: error,
      })
    }
  }
  const secrets = { client_id: clientId, client_secret: clientSecret }

  return {
    authorizeUrl({ state, redirectUri }) {
      const url = new URL('/v1/oauth/authorize', apiUrl)
      url.searchParams.set('client_id', clientId)
      url.searchParams.set('response_type', 'code')
      url.searchParams.set('owner', 'user')
      url.searchParams.set('redirect_uri', redirectUri)
      url.searchParams.set('state', state)
      return url.href
    },
    async exchangeCode({ code, redirectUri, signal }) {
      const grant = { grant_type: 'authorization_code', code, redirect_uri: redirectUri } as const
      const answer = await call(signal, (client) => client.oauth.token({ ...secrets, ...grant }))
      return {
        externalAccountId: answer.workspace_id,
        displayName: answer.workspace_name ?? 'Notion',
        credentials: credentialsOf(answer),
      }
    },
    /** Notion replaces the refresh token on each use. */
    async refresh({ refreshToken }, signal) {
      if (refreshToken === null)
        throw new ProviderError('auth', 'API token is invalid.', { code: 'unauthorized' })
      const grant = { grant_type: 'refresh_token', refresh_token: refreshToken } as const
      return credentialsOf(await call(signal, (client) => client.oauth.token({ ...secrets, ...grant })))
    },
    async revoke({ accessToken: token }, signal) {
      await call(signal, (client) => client.oauth.revoke({ ...secrets, token })).catch(
        returnIf(isGrantGone, undefined),
      )
    },
  }
}

/** With wrong client credentials Notion revoked nothing. */
const isGrantGone = (error: unknown): boolean =>
  error instanceof ProviderError && error.kind === 'auth' && error.message !== 'invalid_client'

function credentialsOf(answer: OauthTokenResponse): Credentials {
  return {
    accessToken: answer.access_token,
    refreshToken: answer.refresh_token,
    // Notion does not say when a token expires, so it is renewed on refusal.
    expiresAt: null,
    // Users pick pages instead of scopes.
    scopes: [],
    extra: { botId: answer.bot_id },
  }
}
