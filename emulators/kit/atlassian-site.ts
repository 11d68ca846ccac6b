import { emailOf } from './atlassian-state.ts'
import { createGrants, type Grants } from './grants.ts'
import { createRateLimit } from './rate-limit.ts'
import {
  type EmulatorReply,
  type EmulatorRequest,
  type EmulatorServer,
  startEmulatorServer,
} from './server.ts'

/** The account whose token reads everything. */
export const ACCOUNT = 'ada'

export interface SiteEmulatorOptions {
  now?: () => number
  port?: number
  /** Requests per minute; unlimited by default, because Atlassian does not publish its limits. */
  perMinute?: number
}

export interface SiteEmulator extends Pick<EmulatorServer, 'url' | 'faults' | 'requests' | 'close'> {
  readonly grants: Grants
  readonly email: string
  /** An API token of the account. */
  token(): string
  /** Whether a refused token gets responses as if nobody were logged in, as for some requests at Atlassian. */
  readonly login: { isAnonymous: boolean }
}

interface Site {
  refusal(status: number, message: string): EmulatorReply
  /** `accountId` is null for nobody. */
  answer(request: EmulatorRequest, accountId: string | null): EmulatorReply
  control: Record<string, (body: Record<string, unknown>) => unknown>
  /** The separate file store; null: another path. It refuses tokens, which must not be sent there. */
  file?(request: EmulatorRequest): EmulatorReply | null
}

/** An Atlassian site whose account logs in with an email and API tokens. */
export async function startAtlassianSite(
  { refusal, answer, control, file }: Site,
  { now = Date.now, port = 0, perMinute }: SiteEmulatorOptions,
): Promise<SiteEmulator> {
  const email = emailOf(ACCOUNT)
  const login = { isAnonymous: false }
  const grants = createGrants({
    clientId: '',
    clientSecret: '',
    tokenPrefix: 'ATATT3x',
    accessTokenSeconds: null,
    rotatesRefreshTokens: false,
    now,
  })
  const limit = createRateLimit(perMinute ?? null, now)
  const token = (): string => grants.issue(ACCOUNT, '').accessToken

  function handle(request: EmulatorRequest): EmulatorReply {
    const stored = file?.(request) ?? null
    if (stored !== null)
      return request.headers['authorization'] === undefined
        ? stored
        : { status: 400, text: 'No token, please' }
    const wait = limit.take(ACCOUNT)
    if (wait !== null)
      return { ...refusal(429, 'Rate limit exceeded'), headers: { 'retry-after': String(wait) } }
    const isKnown = isLoggedIn(request, email, grants)
    if (!isKnown && !login.isAnonymous)
      return { status: 401, text: 'Client must be authenticated to access this resource.' }
    const reply = answer(request, isKnown ? ACCOUNT : null)
    return isKnown
      ? reply
      : { ...reply, headers: { ...reply.headers, 'x-seraph-loginreason': 'AUTHENTICATED_FAILED' } }
  }

  const server = await startEmulatorServer({
    port,
    handle,
    faultBody: (status) => ({ statusCode: status, message: `Status ${status}` }),
    control: { token, ...control },
  })
  return { ...server, grants, email, token, login }
}

function isLoggedIn({ headers }: EmulatorRequest, email: string, grants: Grants): boolean {
  const [, encoded = ''] = /^Basic (\S+)$/.exec(headers['authorization'] ?? '') ?? []
  const decoded = Buffer.from(encoded, 'base64').toString('utf8')
  const at = decoded.indexOf(':')
  return decoded.slice(0, at) === email && grants.check(decoded.slice(at + 1)) === 'valid'
}
