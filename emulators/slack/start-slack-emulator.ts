import { createGrants, type Grant, type Grants } from '../kit/grants.ts'
import { createRateLimit } from '../kit/rate-limit.ts'
import {
  startEmulatorServer,
  type EmulatorReply,
  type EmulatorRequest,
  type EmulatorServer,
} from '../kit/server.ts'
import { slackControlRoutes } from './slack-control-routes.ts'
import { DEFAULT_SLACK_SEED, type SlackSeed } from './slack-data.ts'
import { createEventSender } from './slack-event-sender.ts'
import { SLACK_METHODS } from './slack-methods.ts'
import { createSlackState, type SlackEmulatorState } from './slack-state.ts'

const ALL_SCOPES =
  'channels:read,channels:history,channels:join,groups:read,groups:history,users:read,users:read.email,team:read'
const RESTRICTED_OBJECTS = 15

export interface SlackEmulatorOptions {
  port?: number
  seed?: Partial<SlackSeed>
  clientId?: string
  clientSecret?: string
  signingSecret?: string
  /** Where to send signed events; no events when absent. */
  eventsUrl?: string
  /** Delays before each resend of an event that was not accepted; Slack's by default. */
  retryDelaysMs?: readonly number[]
  /** Requests per minute and method by Slack's tiers (20, 50, 100); no limit when absent. */
  rateLimits?: boolean
  /** The limits of commercial apps outside Slack's Marketplace: a request a minute, 15 objects each. */
  restricted?: boolean
  /** Token rotation: access tokens live 12 hours. */
  rotatesTokens?: boolean
  /** Scopes that the workspace grants; all of the app's by default. */
  scopes?: string
  /** Current time in epoch milliseconds. */
  now?: () => number
}

export interface SlackEmulator extends EmulatorServer {
  readonly state: SlackEmulatorState
  readonly grants: Grants
  readonly team: { id: string; name: string; domain: string }
  /** The settings that point the service here. */
  readonly env: Record<string, string>
  /** Resolves when every event so far has been answered or given up. */
  eventsSent(): Promise<void>
}

/** A Slack workspace on 127.0.0.1: OAuth, the Web API's reading methods, the Events API. */
export async function startSlackEmulator(options: SlackEmulatorOptions = {}): Promise<SlackEmulator> {
  const now = options.now ?? Date.now
  const clientId = options.clientId ?? 'slack-emulator'
  const clientSecret = options.clientSecret ?? 'slack-emulator-secret'
  const signingSecret = options.signingSecret ?? 'slack-emulator-signing-secret'
  const team = { id: 'T0EMULATOR', name: 'Acme', domain: 'acme' }
  const state = createSlackState({ ...DEFAULT_SLACK_SEED, ...options.seed }, now)
  const grants = createGrants({
    clientId,
    clientSecret,
    tokenPrefix: 'xoxb-',
    accessTokenSeconds: options.rotatesTokens ? 43_200 : null,
    rotatesRefreshTokens: true,
    now,
  })
  const callMethod = createMethodCalls({ options, state, grants, team, now })
  const server = await startEmulatorServer({
    port: options.port ?? 0,
    control: slackControlRoutes(state, grants),
    handle: (request) => {
      if (request.path === '/oauth/v2/authorize')
        return authorize(request, grants, options.scopes ?? ALL_SCOPES)
      if (!request.path.startsWith('/api/')) return { status: 404, text: 'not found' }
      return callMethod(request)
    },
  })
  const events = createEventSender({
    url: options.eventsUrl,
    signingSecret,
    teamId: team.id,
    now,
    ...(options.retryDelaysMs === undefined ? {} : { retryDelaysMs: options.retryDelaysMs }),
  })
  state.onEvent(events.send)
  return {
    url: server.url,
    faults: server.faults,
    requests: server.requests,
    serve: server.serve,
    state,
    grants,
    team,
    env: {
      SLACK_CLIENT_ID: clientId,
      SLACK_CLIENT_SECRET: clientSecret,
      SLACK_SIGNING_SECRET: signingSecret,
      SLACK_API_URL: `${server.url}/api`,
    },
    eventsSent: events.settled,
    close: async () => {
      await events.settled()
      events.stop()
      await server.close()
    },
  }
}

function authorize(request: EmulatorRequest, grants: Grants, scopes: string): EmulatorReply {
  const redirectUri = request.query.get('redirect_uri')
  if (redirectUri === null) return { status: 400, text: 'redirect_uri is missing' }
  const location = grants.approve({
    account: 'T0EMULATOR',
    scope: scopes,
    redirectUri,
    state: request.query.get('state') ?? '',
    codeChallenge: null,
  })
  return { status: 302, headers: { location }, text: '' }
}

interface MethodCalls {
  options: SlackEmulatorOptions
  state: SlackEmulatorState
  grants: Grants
  team: SlackEmulator['team']
  now: () => number
}

function createMethodCalls(input: MethodCalls): (request: EmulatorRequest) => EmulatorReply {
  const { options, state, grants, team, now } = input
  const limits = new Map(
    [1, 20, 50, 100].map((perMinute) => [
      perMinute,
      createRateLimit(options.rateLimits ? perMinute : null, now),
    ]),
  )
  const restricted = createRateLimit(options.restricted ? 1 : null, now)

  return (request) => {
    const name = request.path.slice('/api/'.length)
    const given = new URLSearchParams(request.body)
    if (name === 'oauth.v2.access') return { json: accessAnswer(given, grants, team, now) }
    const method = SLACK_METHODS[name]
    if (!method && name !== 'auth.revoke') return { json: { ok: false, error: 'unknown_method' } }
    if (request.bearer === null) return { json: { ok: false, error: 'not_authed' } }
    const tokenState = grants.check(request.bearer)
    if (tokenState !== 'valid') return { json: { ok: false, error: TOKEN_ERRORS[tokenState] } }
    const grant = grants.grantOf(request.bearer)
    if (!method) return { json: { ok: true, revoked: grants.revoke(grant?.accessToken ?? '') } }
    const readsMessages = name === 'conversations.history' || name === 'conversations.replies'
    const wait =
      (readsMessages ? restricted.take(name) : null) ?? limits.get(tierOf(name))?.take(name) ?? null
    if (wait !== null) {
      return {
        status: 429,
        headers: { 'retry-after': String(wait) },
        json: { ok: false, error: 'ratelimited' },
      }
    }
    const scopes = new Set((grant?.scope ?? '').split(','))
    const mostObjects = options.restricted ? RESTRICTED_OBJECTS : 999
    return { json: method({ arguments: given, scopes, state, team, mostObjects }) }
  }
}

const TOKEN_ERRORS = { expired: 'token_expired', revoked: 'token_revoked', unknown: 'invalid_auth' }

/** Slack's tiers: docs.slack.dev/apis/web-api/rate-limits. */
function tierOf(method: string): number {
  if (method === 'conversations.list' || method === 'users.list') return 20
  return method === 'users.info' || method === 'auth.test' ? 100 : 50
}

function accessAnswer(
  given: URLSearchParams,
  grants: Grants,
  team: SlackEmulator['team'],
  now: () => number,
): Record<string, unknown> {
  if (!grants.isClient(given.get('client_id') ?? undefined, given.get('client_secret') ?? undefined)) {
    return { ok: false, error: 'invalid_client_id' }
  }
  const isRefresh = given.get('grant_type') === 'refresh_token'
  const redirectUri = given.get('redirect_uri') ?? ''
  const grant: Grant | null = isRefresh
    ? grants.refresh(given.get('refresh_token') ?? '')
    : grants.exchange({ code: given.get('code') ?? '', redirectUri, codeVerifier: null })
  if (!grant) return { ok: false, error: isRefresh ? 'invalid_refresh_token' : 'invalid_code' }
  const rotation =
    grant.expiresAt === null
      ? {}
      : { refresh_token: grant.refreshToken, expires_in: Math.round((grant.expiresAt - now()) / 1000) }
  return {
    ok: true,
    app_id: 'A0EMULATOR',
    access_token: grant.accessToken,
    token_type: 'bot',
    scope: grant.scope,
    bot_user_id: 'UBOT',
    team: { id: team.id, name: team.name },
    authed_user: { id: 'U0OWNER' },
    enterprise: null,
    is_enterprise_install: false,
    ...rotation,
  }
}
