import { textField as text } from '../kit/fields.ts'
import { createGrants, type Grants } from '../kit/grants.ts'
import { createRateLimit } from '../kit/rate-limit.ts'
import {
  startEmulatorServer,
  type EmulatorReply,
  type EmulatorRequest,
  type EmulatorServer,
} from '../kit/server.ts'
import { notionError, notionRoutes } from './notion-routes.ts'
import {
  createNotionState,
  DEFAULT_NOTION_SEED,
  type NotionEmulatorState,
  type NotionSeed,
} from './notion-state.ts'

export interface NotionEmulatorOptions {
  port?: number
  seed?: Partial<NotionSeed>
  clientId?: string
  clientSecret?: string
  /** Three requests a second, counted by the minute; no limit when absent. */
  rateLimits?: boolean
  /** Characters after which a page's Markdown is split into parts. */
  markdownLimit?: number
  /** Simulates an older API without the route `GET /v1/pages/{id}/markdown`. */
  withoutMarkdown?: boolean
  /** Current time in epoch milliseconds. */
  now?: () => number
}

export interface NotionEmulator extends EmulatorServer {
  readonly state: NotionEmulatorState
  readonly grants: Grants
  readonly workspace: { id: string; name: string }
  /** The settings that point the service here. */
  readonly env: Record<string, string>
}

/** A Notion workspace on 127.0.0.1: OAuth and the API's reading routes. */
export async function startNotionEmulator(options: NotionEmulatorOptions = {}): Promise<NotionEmulator> {
  const now = options.now ?? Date.now
  const clientId = options.clientId ?? 'notion-emulator'
  const clientSecret = options.clientSecret ?? 'notion-emulator-secret'
  const workspace = { id: '11111111-2222-4333-8444-555555555555', name: 'Acme' }
  const state = createNotionState({ ...DEFAULT_NOTION_SEED, ...options.seed }, now)
  const grants = createGrants({
    clientId,
    clientSecret,
    tokenPrefix: 'ntn_',
    accessTokenSeconds: 30 * 86_400,
    rotatesRefreshTokens: true,
    now,
  })
  const api = notionRoutes(state, options.withoutMarkdown ? null : (options.markdownLimit ?? 100_000))
  const limit = createRateLimit(options.rateLimits ? 180 : null, now)

  const route = (request: EmulatorRequest): EmulatorReply => {
    if (request.path === '/v1/oauth/authorize') return authorize(request, grants, workspace.id)
    if (request.path.startsWith('/v1/oauth/')) return oauth(request, grants, workspace)
    if (grants.check(request.bearer) !== 'valid')
      return notionError(401, 'unauthorized', 'API token is invalid.')
    if (request.headers['notion-version'] === undefined) {
      return notionError(
        400,
        'missing_version',
        'Notion-Version header failed validation: Notion-Version header should be defined, instead was `undefined`.',
      )
    }
    const wait = limit.take('connection')
    if (wait === null) return api(request)
    const refusal = notionError(
      429,
      'rate_limited',
      'You have been rate limited. Please try again in a few minutes.',
    )
    return { ...refusal, headers: { 'retry-after': String(wait) } }
  }
  const server = await startEmulatorServer({
    port: options.port ?? 0,
    control: controlRoutes(state, grants),
    handle: (request) => {
      const reply = route(request)
      return { ...reply, headers: { date: new Date(now()).toUTCString(), ...reply.headers } }
    },
  })
  const env = { NOTION_CLIENT_ID: clientId, NOTION_CLIENT_SECRET: clientSecret, NOTION_API_URL: server.url }
  return { ...server, state, grants, workspace, env }
}

function authorize(request: EmulatorRequest, grants: Grants, account: string): EmulatorReply {
  const redirectUri = request.query.get('redirect_uri')
  if (redirectUri === null) return { status: 400, text: 'redirect_uri is missing' }
  const state = request.query.get('state') ?? ''
  const location = grants.approve({ account, scope: '', redirectUri, state, codeChallenge: null })
  return { status: 302, headers: { location }, text: '' }
}

function oauth(
  request: EmulatorRequest,
  grants: Grants,
  workspace: { id: string; name: string },
): EmulatorReply {
  const basic = /^Basic (.+)$/.exec(request.headers['authorization'] ?? '')?.[1] ?? ''
  const [id, secret] = Buffer.from(basic, 'base64').toString('utf8').split(':')
  if (!grants.isClient(id, secret)) return oauthError(401, 'invalid_client')
  const body: Record<string, unknown> = JSON.parse(request.body)
  const field = (name: string) => String(body[name] ?? '')
  if (request.path === '/v1/oauth/revoke') {
    return grants.revoke(field('token')) ? { json: { request_id: 'r' } } : oauthError(400, 'invalid_grant')
  }
  const grant =
    body['grant_type'] === 'refresh_token'
      ? grants.refresh(field('refresh_token'))
      : grants.exchange({ code: field('code'), redirectUri: field('redirect_uri'), codeVerifier: null })
  if (!grant) return oauthError(400, 'invalid_grant')
  return {
    json: {
      access_token: grant.accessToken,
      token_type: 'bearer',
      refresh_token: grant.refreshToken,
      bot_id: '99999999-2222-4333-8444-555555555555',
      workspace_icon: null,
      workspace_name: workspace.name,
      workspace_id: workspace.id,
      owner: { type: 'workspace', workspace: true },
      duplicated_template_id: null,
    },
  }
}

const oauthError = (status: number, error: string): EmulatorReply => ({ status, json: { error } })

/** The control routes for use with curl; arguments are JSON fields. Pages are named by id or title. */
function controlRoutes(
  state: NotionEmulatorState,
  grants: Grants,
): Record<string, (body: Record<string, unknown>) => unknown> {
  const idOf = (given: string): string =>
    [...state.objects.values()].find((object) => object.id === given || object.title === given)?.id ?? given
  const page = (body: Record<string, unknown>) => idOf(text(body, 'page'))
  return {
    pages: () => state.listed(false).map(({ id, kind, title, parentId }) => ({ id, kind, title, parentId })),
    create: (body) => {
      const parentId = typeof body['parent'] === 'string' ? idOf(body['parent']) : null
      return { id: state.create({ title: text(body, 'title'), markdown: text(body, 'markdown'), parentId }) }
    },
    edit: (body) => state.edit(page(body), { markdown: text(body, 'markdown') }),
    rename: (body) => state.edit(page(body), { title: text(body, 'title') }),
    move: (body) => state.move(page(body), idOf(text(body, 'parent'))),
    trash: (body) => state.trash(page(body)),
    restore: (body) => state.restore(page(body)),
    unshare: (body) => state.setShared(page(body), false),
    share: (body) => state.setShared(page(body), true),
    'expire-tokens': () => grants.expireAccessTokens(),
    'revoke-tokens': () => grants.revokeAll(),
  }
}
