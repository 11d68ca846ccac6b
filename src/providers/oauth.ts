import { z } from 'zod'
import {
  isRejected,
  ProviderError,
  type ConnectedAccount,
  type Credentials,
  type JsonObject,
  type OAuthHalf,
} from './adapter.ts'
import { parseAnswer, type RestAnswer, type RestOptions, type RestRequest, sendRequest } from './rest.ts'

const TIMEOUT_MS = 15_000
const ANSWER_BYTES_MAX = 1024 * 1024

export interface OAuthOptions extends Pick<RestOptions, 'headers' | 'refused' | 'failed'> {
  name: string
  clientId: string
  clientSecret: string
  authorizeUrl: string
  tokenUrl: string
  /** RFC 7009; absent where the provider has none. */
  revokeUrl?: string
  /** The revoked token is sent in the address, as Google documents it, rather than in the form. */
  revokesInAddress?: boolean
  scopes: readonly string[]
  /** Whether codes have a verifier (RFC 7636); true by default. */
  usesPkce?: boolean
  /** Further parameters of the authorize page. */
  parameters?: Readonly<Record<string, string>>
  now: () => Date
  /** Whether token requests are JSON with HTTP Basic authentication; forms by default. */
  sendsJson?: boolean
  /** Which refusals of a code or refresh token are final; all by default. */
  isFinal?(refusal: ProviderError): boolean
  /**
   * Whose account new credentials are for, from `answer`, that of the token endpoint, or a request with their token,
   * which `get` sends. `extra` becomes that of the credentials.
   */
  identify(
    get: (url: string) => Promise<RestAnswer>,
    credentials: Credentials,
    answer: unknown,
  ): Promise<Omit<ConnectedAccount, 'credentials'> & { extra?: JsonObject }>
}

/** RFC 6749 §5.1. */
const TokenAnswer = z.looseObject({
  access_token: z.string(),
  refresh_token: z.string().nullish(),
  expires_in: z.number().optional(),
  scope: z.string().optional(),
})

/** The OAuth part of an adapter: codes with PKCE, refresh tokens (RFC 6749) and revocation (RFC 7009). */
export function createOAuth(options: OAuthOptions): OAuthHalf {
  const { usesPkce = true, isFinal = () => true } = options
  /** A refused code or refresh token is used, expired, or not ours (RFC 6749 §5.2). */
  const refuse = (error: unknown): never => {
    if (!isRejected(error) || !isFinal(error)) throw error
    throw new ProviderError('auth', error.message, { code: 'invalid_grant', cause: error })
  }
  const send = (request: RestRequest, signal: AbortSignal): Promise<RestAnswer> =>
    sendRequest(request, options, {
      signal,
      timeoutMs: TIMEOUT_MS,
      bytesMax: ANSWER_BYTES_MAX,
      now: options.now(),
    })
  const post = (url: string, form: Record<string, string>, signal: AbortSignal): Promise<RestAnswer> =>
    send({ url, method: 'POST', ...contentOf(form, options) }, signal)
  const token = async (form: Record<string, string>, signal: AbortSignal) =>
    parseAnswer(await post(options.tokenUrl, form, signal).catch(refuse), TokenAnswer, options.name)

  const credentialsOf = (answer: z.output<typeof TokenAnswer>, before: Credentials | null): Credentials => ({
    accessToken: answer.access_token,
    refreshToken: answer.refresh_token ?? before?.refreshToken ?? null,
    expiresAt:
      answer.expires_in === undefined ? null : new Date(options.now().getTime() + answer.expires_in * 1000),
    scopes: answer.scope?.split(/[ ,]+/) ?? before?.scopes ?? [...options.scopes],
    ...(before?.extra && { extra: before.extra }),
  })

  return {
    authorizeUrl({ state, redirectUri, codeChallenge }) {
      const url = new URL(options.authorizeUrl)
      const parameters = {
        response_type: 'code',
        client_id: options.clientId,
        redirect_uri: redirectUri,
        ...(options.scopes.length > 0 && { scope: options.scopes.join(' ') }),
        state,
        ...(usesPkce && { code_challenge: codeChallenge, code_challenge_method: 'S256' }),
        ...options.parameters,
      }
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
      return url.href
    },
    async exchangeCode({ code, redirectUri, codeVerifier, signal }) {
      const form = {
        grant_type: 'authorization_code',
        code,
        redirect_uri: redirectUri,
        ...(usesPkce && { code_verifier: codeVerifier }),
      }
      const answer = await token(form, signal)
      const credentials = credentialsOf(answer, null)
      const headers = { authorization: `Bearer ${credentials.accessToken}` }
      const get = (url: string) => send({ url, headers }, signal)
      const { extra, ...account } = await options.identify(get, credentials, answer)
      return { ...account, credentials: { ...credentials, ...(extra && { extra }) } }
    },
    async refresh(credentials, signal) {
      const { refreshToken } = credentials
      if (refreshToken === null) throw new ProviderError('auth', `${options.name} returned no refresh token`)
      const form = { grant_type: 'refresh_token', refresh_token: refreshToken }
      return credentialsOf(await token(form, signal), credentials)
    },
    async revoke({ accessToken, refreshToken }, signal) {
      if (options.revokeUrl === undefined) return
      const url = new URL(options.revokeUrl)
      const form = { token: refreshToken ?? accessToken }
      if (options.revokesInAddress) url.searchParams.set('token', form.token)
      // RFC 7009: an unknown token is revoked already, and answers 200.
      await post(url.href, options.revokesInAddress ? {} : form, signal)
    },
  }
}

function contentOf(
  form: Record<string, string>,
  { clientId, clientSecret, sendsJson }: OAuthOptions,
): Pick<RestRequest, 'headers' | 'body'> {
  if (!sendsJson)
    return { body: new URLSearchParams({ ...form, client_id: clientId, client_secret: clientSecret }) }
  const client = Buffer.from(`${clientId}:${clientSecret}`).toString('base64')
  const headers = { authorization: `Basic ${client}`, 'content-type': 'application/json' }
  return { headers, body: JSON.stringify(form) }
}
