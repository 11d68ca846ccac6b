import type { OauthV2AccessResponse } from '@slack/web-api'
import { ProviderError, type ConnectedAccount, type Credentials } from '../adapter.ts'
import { createSlackClient, toSlackError } from './client.ts'

const REQUEST_TIMEOUT_MS = 15_000

/** Bot scopes: reading public and private channels, joining public ones, users' names. */
export const SLACK_SCOPES = [
  'channels:read',
  'channels:history',
  'channels:join',
  'groups:read',
  'groups:history',
  'users:read',
  'users:read.email',
  'team:read',
] as const

export interface SlackOAuthOptions {
  clientId: string
  clientSecret: string
  /** Replaces `https://slack.com/api`; the authorize page is at its origin. */
  apiUrl: string
  now: () => Date
}

/** The page where a workspace's member installs the app (docs.slack.dev/authentication/installing-with-oauth). */
export function slackAuthorizeUrl(
  options: SlackOAuthOptions,
  input: { state: string; redirectUri: string },
): string {
  const url = new URL('/oauth/v2/authorize', options.apiUrl)
  url.searchParams.set('client_id', options.clientId)
  url.searchParams.set('scope', SLACK_SCOPES.join(','))
  url.searchParams.set('redirect_uri', input.redirectUri)
  url.searchParams.set('state', input.state)
  return url.href
}

/** Exchanges the callback's code for a bot token; `extra.installedAt` is its ISO time. @throws ProviderError */
export async function exchangeSlackCode(
  options: SlackOAuthOptions,
  input: { code: string; redirectUri: string; signal: AbortSignal },
): Promise<ConnectedAccount> {
  const answer = await accessCall(options, input.signal, {
    code: input.code,
    redirect_uri: input.redirectUri,
  })
  const team = answer.team
  if (!team?.id)
    throw new ProviderError('rejected', 'Slack named no workspace: org-wide installs are not supported')
  return {
    externalAccountId: team.id,
    displayName: team.name ?? team.id,
    credentials: credentialsOf(answer, options.now(), null),
  }
}

/** Refreshes credentials if token rotation is on; Slack replaces the token on each use. @throws ProviderError */
export async function refreshSlackToken(
  options: SlackOAuthOptions,
  credentials: Credentials,
  signal: AbortSignal,
): Promise<Credentials> {
  if (credentials.refreshToken === null)
    throw new ProviderError('auth', 'token_expired', { code: 'token_expired' })
  const answer = await accessCall(options, signal, {
    grant_type: 'refresh_token',
    refresh_token: credentials.refreshToken,
  })
  return credentialsOf(answer, options.now(), credentials)
}

/** Revokes the grant with `auth.revoke`; succeeds when it is already gone. @throws ProviderError */
export async function revokeSlackToken(
  options: SlackOAuthOptions,
  credentials: Credentials,
  signal: AbortSignal,
): Promise<void> {
  const client = createSlackClient(options.apiUrl, REQUEST_TIMEOUT_MS, signal)
  try {
    await client.auth.revoke({ token: credentials.accessToken })
  } catch (error) {
    const failure = toSlackError(error)
    if (failure?.kind !== 'auth') throw failure ?? error
  }
}

async function accessCall(
  options: SlackOAuthOptions,
  signal: AbortSignal,
  grant: { code: string; redirect_uri: string } | { grant_type: 'refresh_token'; refresh_token: string },
): Promise<OauthV2AccessResponse> {
  const client = createSlackClient(options.apiUrl, REQUEST_TIMEOUT_MS, signal)
  try {
    return await client.oauth.v2.access({
      client_id: options.clientId,
      client_secret: options.clientSecret,
      ...grant,
    })
  } catch (error) {
    throw toSlackError(error) ?? error
  }
}

function credentialsOf(answer: OauthV2AccessResponse, now: Date, previous: Credentials | null): Credentials {
  if (!answer.access_token) throw new ProviderError('rejected', 'Slack gave no access token')
  // Identifies an install: Slack does not, and the bot of a new one is in no channel.
  const extra = previous === null ? { installedAt: now.toISOString() } : previous.extra
  return {
    accessToken: answer.access_token,
    refreshToken: answer.refresh_token ?? null,
    expiresAt: answer.expires_in === undefined ? null : new Date(now.getTime() + answer.expires_in * 1000),
    scopes: answer.scope === undefined ? (previous?.scopes ?? []) : answer.scope.split(','),
    ...(extra === undefined ? {} : { extra }),
  }
}
