import type { OauthV2AccessResponse, WebClient } from '@slack/web-api'
import { type Credentials, type OAuthHalf, ProviderError, returnIf } from '../adapter.ts'
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

/** The OAuth half of the adapter (docs.slack.dev/authentication/installing-with-oauth). */
export function createSlackOAuth({ clientId, clientSecret, apiUrl, now }: SlackOAuthOptions): OAuthHalf {
  async function call<Answer>(signal: AbortSignal, request: (client: WebClient) => Promise<Answer>) {
    try {
      return await request(createSlackClient(apiUrl, REQUEST_TIMEOUT_MS, signal))
    } catch (error) {
      throw toSlackError(error) ?? error
    }
  }
  const secrets = { client_id: clientId, client_secret: clientSecret }

  return {
    authorizeUrl({ state, redirectUri }) {
      const url = new URL('/oauth/v2/authorize', apiUrl)
      url.searchParams.set('client_id', clientId)
      url.searchParams.set('scope', SLACK_SCOPES.join(','))
      url.searchParams.set('redirect_uri', redirectUri)
      url.searchParams.set('state', state)
      return url.href
    },
    /** Returns a bot token; `extra.installedAt` is its ISO time. */
    async exchangeCode({ code, redirectUri, signal }) {
      const grant = { code, redirect_uri: redirectUri }
      const answer = await call(signal, (client) => client.oauth.v2.access({ ...secrets, ...grant }))
      const { team } = answer
      if (!team?.id)
        throw new ProviderError('rejected', 'Slack named no workspace: org-wide installs are not supported')
      return {
        externalAccountId: team.id,
        displayName: team.name ?? team.id,
        credentials: credentialsOf(answer, now(), null),
      }
    },
    /** With token rotation, Slack replaces the refresh token on each use. */
    async refresh(credentials, signal) {
      const { refreshToken } = credentials
      if (refreshToken === null) throw new ProviderError('auth', 'token_expired', { code: 'token_expired' })
      const grant = { grant_type: 'refresh_token', refresh_token: refreshToken } as const
      const answer = await call(signal, (client) => client.oauth.v2.access({ ...secrets, ...grant }))
      return credentialsOf(answer, now(), credentials)
    },
    async revoke({ accessToken: token }, signal) {
      await call(signal, (client) => client.auth.revoke({ token })).catch(returnIf(isGrantGone, undefined))
    },
  }
}

const isGrantGone = (error: unknown): boolean => error instanceof ProviderError && error.kind === 'auth'

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
