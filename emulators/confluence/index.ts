import { textField } from '../kit/fields.ts'
import { createGrants, type Grants } from '../kit/grants.ts'
import { createRateLimit } from '../kit/rate-limit.ts'
import {
  type EmulatorReply,
  type EmulatorRequest,
  type EmulatorServer,
  startEmulatorServer,
} from '../kit/server.ts'
import { parameterFault, refusalV1, refusalV2, type RouteContext } from './reply.ts'
import { ROUTES_V1 } from './routes-v1.ts'
import { ROUTES_V2 } from './routes-v2.ts'
import { type ConfluenceContent, ConfluenceState } from './state.ts'

const ACCOUNT = 'ada'
const APIS = [
  { prefix: '/wiki/api/v2', routes: ROUTES_V2, refusal: refusalV2 },
  { prefix: '/wiki/rest/api', routes: ROUTES_V1, refusal: refusalV1 },
]

export interface ConfluenceEmulatorOptions {
  now?: () => number
  port?: number
  /** Requests per minute; unlimited by default, because Confluence does not publish its limits. */
  perMinute?: number
  searchedMax?: number
  subjectsMax?: number
}

export interface ConfluenceEmulator extends Pick<EmulatorServer, 'url' | 'faults' | 'requests' | 'close'> {
  readonly state: ConfluenceState
  readonly grants: Grants
  readonly email: string
  /** An API token of the account. */
  token(): string
  /** Ids that the search index has not reached yet. */
  readonly unindexed: Set<string>
  /** Whether a refused token is answered as if nobody were logged in, as Confluence does for some requests. */
  readonly login: { isAnonymous: boolean }
}

/**
 * Confluence Cloud's REST APIs for the account of Ada, as far as the connector uses them. It refuses what Confluence
 * refuses.
 */
export async function startConfluenceEmulator(
  options: ConfluenceEmulatorOptions = {},
): Promise<ConfluenceEmulator> {
  const { now = Date.now, port = 0, perMinute = null, searchedMax = 50, subjectsMax = 100 } = options
  const state = new ConfluenceState(now)
  const { email } = state.person(ACCOUNT)
  for (const person of ['bob', 'cy']) state.person(person)
  state.groups.set('staff', ['ada', 'bob', 'cy'])
  const unindexed = new Set<string>()
  const login = { isAnonymous: false }
  const grants = createGrants({
    clientId: '',
    clientSecret: '',
    tokenPrefix: 'ATATT3x',
    accessTokenSeconds: null,
    rotatesRefreshTokens: false,
    now,
  })
  const limit = createRateLimit(perMinute, now)
  const token = (): string => grants.issue(ACCOUNT, '').accessToken

  function handle(request: EmulatorRequest): EmulatorReply {
    const wait = limit.take(ACCOUNT)
    if (wait !== null)
      return { ...refusalV1(429, 'Rate limit exceeded'), headers: { 'retry-after': String(wait) } }
    const isKnown = isLoggedIn(request, email, grants)
    if (!isKnown && !login.isAnonymous)
      return { status: 401, text: 'Client must be authenticated to access this resource.' }
    const accountId = isKnown ? ACCOUNT : null
    const reply = route(request, { state, accountId, unindexed, searchedMax, subjectsMax })
    return isKnown
      ? reply
      : { ...reply, headers: { ...reply.headers, 'x-seraph-loginreason': 'AUTHENTICATED_FAILED' } }
  }

  const server = await startEmulatorServer({
    port,
    handle,
    faultBody: (status) => ({ statusCode: status, message: `Status ${status}` }),
    control: { token, ...controlsOf(state) },
  })
  return { ...server, state, grants, email, token, unindexed, login }
}

function isLoggedIn({ headers }: EmulatorRequest, email: string, grants: Grants): boolean {
  const [, encoded = ''] = /^Basic (\S+)$/.exec(headers['authorization'] ?? '') ?? []
  const decoded = Buffer.from(encoded, 'base64').toString('utf8')
  const at = decoded.indexOf(':')
  return decoded.slice(0, at) === email && grants.check(decoded.slice(at + 1)) === 'valid'
}

function route(request: EmulatorRequest, context: RouteContext): EmulatorReply {
  const api = APIS.find(({ prefix }) => request.path.startsWith(`${prefix}/`))
  if (api === undefined) return refusalV1(404, 'Not Found')
  for (const { pattern, parameters, answer, method = 'GET' } of api.routes) {
    const match = pattern.exec(request.path.slice(api.prefix.length))
    if (match === null || method !== request.method) continue
    const fault = parameterFault(request.query, parameters)
    if (fault !== null) return api.refusal(400, fault)
    return answer({ ...request, ...context, matched: match.slice(1) })
  }
  return api.refusal(404, 'Not Found')
}

/** What can be changed at the emulator from outside. */
function controlsOf(state: ConfluenceState): Record<string, (body: Record<string, unknown>) => unknown> {
  const spaceOf = (body: Record<string, unknown>) => {
    const key = textField(body, 'space')
    return [...state.spaces.values()].find((space) => space.key === key) ?? state.createSpace(key)
  }
  const pageOf = (body: Record<string, unknown>): ConfluenceContent => {
    const page = state.contents.get(textField(body, 'page'))
    if (page === undefined) throw new Error('there is no such page')
    return page
  }
  return {
    page: (body) =>
      state.add(spaceOf(body), { title: textField(body, 'title'), body: textField(body, 'body') }).id,
    edit: (body) => state.edit(pageOf(body), { body: textField(body, 'body') }),
    comment: (body) => state.comment(pageOf(body), { body: textField(body, 'body') }).id,
    restrict: (body) => {
      pageOf(body).restriction = { users: ['ada', textField(body, 'user')], groups: [] }
    },
    trash: (body) => state.trash(pageOf(body)),
  }
}
