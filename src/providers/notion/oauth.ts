import type { OauthTokenResponse } from '@notionhq/client'
import { ProviderError, type ConnectedAccount, type Credentials } from '../adapter.ts'
import { createNotionClient, toNotionError } from './client.ts'

const REQUEST_TIMEOUT_MS = 15_000

export interface NotionOAuthOptions {
  clientId: string
  clientSecret: string
  /** Replaces `https://api.notion.com`. */
  apiUrl: string
  now: () => Date
}

/** The page where a user picks the pages to share (developers.notion.com/guides/get-started/authorization). */
export function notionAuthorizeUrl(
  options: NotionOAuthOptions,
  input: { state: string; redirectUri: string },
): string {
  const url = new URL('/v1/oauth/authorize', options.apiUrl)
  url.searchParams.set('client_id', options.clientId)
  url.searchParams.set('response_type', 'code')
  url.searchParams.set('owner', 'user')
  url.searchParams.set('redirect_uri', input.redirectUri)
  url.searchParams.set('state', input.state)
  return url.href
}

/** Exchanges the callback's code for a token of the workspace. @throws ProviderError */
export async function exchangeNotionCode(
  options: NotionOAuthOptions,
  input: { code: string; redirectUri: string; signal: AbortSignal },
): Promise<ConnectedAccount> {
  const answer = await oauthCall(options, input.signal, (client, secrets) =>
    client.oauth.token({
      ...secrets,
      grant_type: 'authorization_code',
      code: input.code,
      redirect_uri: input.redirectUri,
    }),
  )
  return {
    externalAccountId: answer.workspace_id,
    displayName: answer.workspace_name ?? 'Notion',
    credentials: credentialsOf(answer),
  }
}

/** Exchanges a refresh token, which Notion replaces on use. @throws ProviderError */
export async function refreshNotionToken(
  options: NotionOAuthOptions,
  credentials: Credentials,
  signal: AbortSignal,
): Promise<Credentials> {
  const refreshToken = credentials.refreshToken
  if (refreshToken === null)
    throw new ProviderError('auth', 'API token is invalid.', { code: 'unauthorized' })
  const answer = await oauthCall(options, signal, (client, secrets) =>
    client.oauth.token({ ...secrets, grant_type: 'refresh_token', refresh_token: refreshToken }),
  )
  return credentialsOf(answer)
}

/** Revokes the grant; succeeds when it is already gone. @throws ProviderError */
export async function revokeNotionToken(
  options: NotionOAuthOptions,
  credentials: Credentials,
  signal: AbortSignal,
): Promise<void> {
  try {
    await oauthCall(options, signal, (client, secrets) =>
      client.oauth.revoke({ ...secrets, token: credentials.accessToken }),
    )
  } catch (error) {
    // With wrong client credentials Notion revoked nothing.
    const isGone =
      error instanceof ProviderError && error.kind === 'auth' && error.message !== 'invalid_client'
    if (!isGone) throw error
  }
}

async function oauthCall<Answer>(
  options: NotionOAuthOptions,
  signal: AbortSignal,
  call: (
    client: ReturnType<typeof createNotionClient>,
    secrets: { client_id: string; client_secret: string },
  ) => Promise<Answer>,
): Promise<Answer> {
  const client = createNotionClient(options.apiUrl, REQUEST_TIMEOUT_MS, signal)
  try {
    return await call(client, { client_id: options.clientId, client_secret: options.clientSecret })
  } catch (error) {
    const failure = toNotionError(error, options.now())
    if (failure?.kind !== 'rejected') throw failure ?? error
    // `invalid_grant`: the code or refresh token is used, expired or not ours (RFC 6749 §5.2).
    throw new ProviderError('auth', failure.message, {
      ...(failure.code ? { code: failure.code } : {}),
      cause: error,
    })
  }
}

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
