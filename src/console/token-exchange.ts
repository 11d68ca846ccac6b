import { z } from 'zod'
import { AppError, validationError } from '../kernel/errors.ts'
import { readJson } from '../kernel/read-json.ts'
import { unavailable } from '../kernel/unavailable.ts'

export interface TokenEndpoint {
  url: string
  /** Authentication methods; undefined means HTTP Basic (OpenID Connect Discovery 1.0, section 3). */
  authMethods: readonly string[] | undefined
}

/** The response to the page: tokens, or the issuer's OAuth error (RFC 6749, 5.1 and 5.2). */
export type TokenAnswer = { status: 200 | 400; body: Record<string, unknown> }

/** Redeems the code or refresh token of a browser's sign-in. The browser never sees the client's secret. */
export interface TokenExchange {
  /** @throws AppError `validation_failed`, `overloaded`, `upstream_error`, `not_configured` */
  redeem(form: URLSearchParams, redirectUri: string): Promise<TokenAnswer>
}

const TIMEOUT_MS = 10_000
const CONCURRENT_MAX = 16
const ANSWER_BYTES_MAX = 256 * 1024

const grantText = z.string().min(1).max(8_192)
/** The page's two grants. A code is worthless without the verifier that the browser created for it (RFC 7636). */
const Grant = z.discriminatedUnion('grant_type', [
  z.object({
    grant_type: z.literal('authorization_code'),
    code: grantText,
    code_verifier: z.string().regex(/^[\w.~-]{43,128}$/),
    redirect_uri: z.string(),
  }),
  z.object({ grant_type: z.literal('refresh_token'), refresh_token: grantText, scope: grantText.optional() }),
])
const Tokens = z.object({
  access_token: z.string(),
  token_type: z.string(),
  id_token: z.string().optional(),
  refresh_token: z.string().optional(),
  expires_in: z.coerce.number().optional(),
  scope: z.string().optional(),
})
const Refusal = z.object({
  error: z.string().max(200),
  error_description: z.string().max(2_000).optional().catch(undefined),
})

export function createTokenExchange(deps: {
  clientId: string
  clientSecret: string
  endpoint: () => Promise<TokenEndpoint>
  fetch: typeof fetch
}): TokenExchange {
  let inFlight = 0
  return {
    async redeem(form, redirectUri) {
      const grant = grantOf(form, redirectUri)
      if (inFlight >= CONCURRENT_MAX) throw unavailable('overloaded', 'Too many people are signing in', 2)
      inFlight++
      try {
        return await send(deps, grant)
      } finally {
        inFlight--
      }
    },
  }
}

function grantOf(form: URLSearchParams, redirectUri: string): z.output<typeof Grant> {
  const parsed = Grant.safeParse(Object.fromEntries(form))
  const isOurs =
    parsed.success && (parsed.data.grant_type === 'refresh_token' || parsed.data.redirect_uri === redirectUri)
  if (isOurs) return parsed.data
  const message = "Send the console's token request: a code with its verifier, or a refresh token"
  throw validationError([{ path: '', message }])
}

async function send(
  { clientId, clientSecret, endpoint, fetch: fetchFrom }: Parameters<typeof createTokenExchange>[0],
  grant: z.output<typeof Grant>,
): Promise<TokenAnswer> {
  const { url, authMethods } = await endpoint()
  const usesBasic = authMethods === undefined || authMethods.includes('client_secret_basic')
  const body = new URLSearchParams()
  for (const [name, value] of Object.entries(grant)) if (value !== undefined) body.set(name, value)
  body.set('client_id', clientId)
  if (!usesBasic) body.set('client_secret', clientSecret)
  const response = await fetchFrom(url, {
    method: 'POST',
    headers: {
      Accept: 'application/json',
      'Content-Type': 'application/x-www-form-urlencoded',
      ...(usesBasic ? { Authorization: basic(clientId, clientSecret) } : {}),
    },
    body: body.toString(),
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((cause: unknown) => {
    throw upstream('cannot be reached', cause)
  })
  return answerOf(response.status, await readAnswer(response))
}

function answerOf(status: number, answer: unknown): TokenAnswer {
  const tokens = Tokens.safeParse(answer)
  if (status === 200 && tokens.success) return { status: 200, body: tokens.data }
  const refusal = Refusal.safeParse(answer)
  if (status < 400 || status >= 500 || !refusal.success) throw upstream(`answered ${status}`)
  const { error } = refusal.data
  if (error === 'invalid_client' || error === 'unauthorized_client') {
    throw new AppError(
      'not_configured',
      "The identity provider rejects the console's credentials; check OIDC_CLIENT_ID and OIDC_CLIENT_SECRET",
      { facts: { signInFailure: 'client', ...refusal.data } },
    )
  }
  return { status: 400, body: refusal.data }
}

async function readAnswer(response: Response): Promise<unknown> {
  try {
    return await readJson(response, ANSWER_BYTES_MAX)
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined
    throw upstream('sent an incomplete response', error)
  }
}

/** The ID and the secret are form-encoded first (RFC 6749, 2.3.1). */
function basic(clientId: string, clientSecret: string): string {
  const encoded = [clientId, clientSecret].map((text) => new URLSearchParams({ t: text }).toString().slice(2))
  return `Basic ${Buffer.from(encoded.join(':')).toString('base64')}`
}

function upstream(what: string, cause?: unknown): AppError {
  return new AppError('upstream_error', `The identity provider ${what} while you signed in; try again`, {
    cause,
  })
}
