import { z } from 'zod'
import { type OAuthHalf, ProviderError, returnIf } from '../adapter.ts'
import { createOAuth } from '../oauth.ts'
import { parseShape } from '../rest.ts'
import { NOTION } from './client.ts'

export interface NotionOAuthOptions {
  clientId: string
  clientSecret: string
  /** Replaces `https://api.notion.com`. */
  apiUrl: string
  now: () => Date
}

const Granted = z.object({
  workspace_id: z.string(),
  workspace_name: z.string().nullish(),
  bot_id: z.string(),
})

/**
 * The OAuth half of the adapter (developers.notion.com/guides/get-started/authorization). Users pick pages instead of
 * scopes. Notion does not say when a token expires, so it is renewed on refusal.
 */
export function createNotionOAuth({ clientId, clientSecret, apiUrl, now }: NotionOAuthOptions): OAuthHalf {
  const oauth = createOAuth({
    ...NOTION,
    clientId,
    clientSecret,
    authorizeUrl: new URL('/v1/oauth/authorize', apiUrl).href,
    tokenUrl: `${apiUrl}/v1/oauth/token`,
    revokeUrl: `${apiUrl}/v1/oauth/revoke`,
    scopes: [],
    parameters: { owner: 'user' },
    usesPkce: false,
    sendsJson: true,
    // A gateway's refusal ends no grant.
    isFinal: ({ code }) => isBadRequest(code),
    now,
    async identify(_get, _credentials, answer) {
      const {
        workspace_id: id,
        workspace_name: name,
        bot_id: botId,
      } = parseShape(answer, Granted, NOTION.name)
      return { externalAccountId: id, displayName: name ?? NOTION.name, extra: { botId } }
    },
  })
  return {
    ...oauth,
    revoke: (credentials, signal) =>
      oauth.revoke({ ...credentials, refreshToken: null }, signal).catch(returnIf(isGrantGone, undefined)),
  }
}

const isBadRequest = (code: string | null): boolean => code === '400' || code === 'validation_error'

/** With wrong client credentials Notion revoked nothing. */
const isGrantGone = (error: unknown): boolean =>
  error instanceof ProviderError &&
  (error.kind === 'auth' || isBadRequest(error.code)) &&
  error.code !== 'invalid_client'
