import { z } from 'zod'
import { type OAuthHalf, ProviderError, returnIf } from '../adapter.ts'
import { createOAuth } from '../oauth.ts'
import { parseShape, sendWithToken } from '../rest.ts'
import { SLACK } from './client.ts'

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

const Granted = z.object({ team: z.object({ id: z.string(), name: z.string().optional() }).nullish() })

/** The OAuth half of the adapter (docs.slack.dev/authentication/installing-with-oauth), for a bot token. */
export function createSlackOAuth({ clientId, clientSecret, apiUrl, now }: SlackOAuthOptions): OAuthHalf {
  const oauth = createOAuth({
    ...SLACK,
    clientId,
    clientSecret,
    authorizeUrl: new URL('/oauth/v2/authorize', apiUrl).href,
    tokenUrl: `${apiUrl}/oauth.v2.access`,
    scopes: SLACK_SCOPES,
    parameters: { scope: SLACK_SCOPES.join(',') },
    // Only for apps that have opted in (docs.slack.dev/authentication/using-pkce).
    usesPkce: false,
    // Slack has its own code for each that is.
    isFinal: () => false,
    now,
    async identify(_get, _credentials, answer) {
      const { team } = parseShape(answer, Granted, SLACK.name)
      if (!team)
        throw new ProviderError(
          'rejected',
          'Slack returned no workspace: org-wide installs are not supported',
        )
      return {
        externalAccountId: team.id,
        displayName: team.name ?? team.id,
        // Identifies an install: Slack does not, and the bot of a new one is in no channel.
        extra: { installedAt: now().toISOString() },
      }
    },
  })
  return {
    ...oauth,
    async revoke({ accessToken }, signal) {
      const request = { url: `${apiUrl}/auth.revoke`, method: 'POST' } as const
      await sendWithToken(request, accessToken, SLACK, { signal, now: now() }).catch(
        returnIf(isGrantGone, undefined),
      )
    },
  }
}

const isGrantGone = (error: unknown): boolean => error instanceof ProviderError && error.kind === 'auth'
