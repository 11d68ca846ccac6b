import { z } from 'zod'
import type { Clock } from '../../../kernel/clock.ts'
import { parseJson } from '../../../kernel/parse-json.ts'
import { createOAuth } from '../../oauth.ts'
import { type OAuthHalf, ProviderError } from '../../adapter.ts'
import { parseAnswer, type RestAnswer } from '../../rest.ts'
import type { MicrosoftSettings } from './settings.ts'

export const ME_FIELDS = 'id,mail,userPrincipalName'
export const Me = z.object({
  id: z.string().min(1),
  mail: z.string().nullish(),
  userPrincipalName: z.string().nullish(),
})

const Refusal = z.object({ error: z.string() })

/** A user's address: `mail` is empty for accounts without a mailbox. */
export const addressOf = ({ mail, userPrincipalName }: Omit<z.output<typeof Me>, 'id'>): string =>
  (mail || userPrincipalName || '').toLowerCase()

/**
 * The OAuth half of a Microsoft adapter (https://learn.microsoft.com/entra/identity-platform/v2-oauth2-auth-code-flow):
 * PKCE, and `offline_access` for a refresh token, which each use replaces. There is no request that revokes a grant.
 */
export function createMicrosoftOAuth(
  { clientId, clientSecret, tenant, apiUrl, authUrl }: MicrosoftSettings,
  { scopes, clock }: { scopes: readonly string[]; clock: Clock },
): OAuthHalf {
  const base = `${authUrl}/${tenant}/oauth2/v2.0`
  return createOAuth({
    name: 'Microsoft',
    clientId,
    clientSecret,
    authorizeUrl: `${base}/authorize`,
    tokenUrl: `${base}/token`,
    scopes: ['offline_access', 'User.Read', ...scopes],
    // Without it, a signed-in browser connects its account without asking.
    parameters: { response_mode: 'query', prompt: 'select_account' },
    now: () => clock.now(),
    refused: busyServer,
    async identify(get) {
      const answer = await get(`${apiUrl}/v1.0/me?$select=${ME_FIELDS}`)
      const me = parseAnswer(answer, Me, 'Microsoft')
      return { externalAccountId: me.id, displayName: addressOf(me) || me.id }
    },
  })
}

/** This error asks for a retry, although its status is that of a refusal. */
function busyServer({ bytes }: RestAnswer, words: string): ProviderError | undefined {
  const { data } = Refusal.safeParse(parseJson(bytes.toString('utf8')))
  return data?.error === 'temporarily_unavailable' ? new ProviderError('unavailable', words) : undefined
}
