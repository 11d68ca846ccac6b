import { textField } from '../kit/fields.ts'
import { createGrants, type Grants } from '../kit/grants.ts'
import {
  type EmulatorReply,
  type EmulatorRequest,
  type EmulatorServer,
  startEmulatorServer,
} from '../kit/server.ts'
import { createGitHubApp, type GitHubApp, LOGIN, LOGIN_ID } from './app.ts'
import { createGitHubJson } from './json.ts'
import { createLimits, type GitHubLimits } from './limits.ts'
import { etagOf, paged, PAGING, parameterFault, refusal, type RouteContext } from './reply.ts'
import { createRouter, type View } from './router.ts'
import { type GitHubRepository, GitHubState, nameOf } from './state.ts'

const VERSIONS = new Set(['2022-11-28', '2026-03-10'])

export interface GitHubEmulatorOptions {
  now?: () => number
  port?: number
  /** Requests per hour and token; those answered with 304 do not count. */
  hourly?: number
  /** Requests per minute, the secondary limit. */
  perMinute?: number
  treeEntriesMax?: number
}

/** The permissions of the account's personal access tokens. */
interface Access {
  /** The permissions of fine-grained tokens for private repositories; all by default. */
  rights: Set<string>
  /** Repositories that they cannot read. */
  hidden: Set<number>
  /** An organization for which the token is not authorized. Lists leave out its repositories. */
  sso: string | null
}

export interface GitHubEmulator extends Pick<EmulatorServer, 'url' | 'faults' | 'requests' | 'close'> {
  readonly state: GitHubState
  readonly grants: Grants
  readonly access: Access
  /** A GitHub App, initially not installed. */
  readonly app: GitHubApp
  /** A personal access token of the account. */
  token(): string
  /** The paths of requests that were answered with 304. */
  readonly notModified: string[]
  /** The settings of a service that uses the emulator. */
  readonly env: Readonly<Record<string, string>>
}

/** The part of GitHub's REST API that the connector uses, for one account. It refuses what GitHub refuses. */
export async function startGitHubEmulator(options: GitHubEmulatorOptions = {}): Promise<GitHubEmulator> {
  const { now = Date.now, port = 0, treeEntriesMax = 100_000, hourly = 5_000, perMinute = 900 } = options
  const state = new GitHubState(now)
  const url = (): string => server.url
  const access: Access = {
    rights: new Set(['metadata', 'issues', 'pull_requests', 'contents', 'discussions']),
    hidden: new Set(),
    sso: null,
  }
  const grants = createGrants({
    clientId: '',
    clientSecret: '',
    tokenPrefix: 'github_pat_',
    accessTokenSeconds: null,
    rotatesRefreshTokens: false,
    now,
  })
  const notModified: string[] = []
  const context: RouteContext = { state, json: createGitHubJson(url), url, treeEntriesMax }
  const ofPerson = createRouter(context, viewOfPerson(context, access))
  const app = createGitHubApp(context, now)
  const limits = createLimits({ now, hourly, perMinute })

  function routed(request: EmulatorRequest): EmulatorReply {
    const refused = formFault(request)
    if (refused !== null) return refused
    const route = grants.check(request.bearer) === 'valid' ? ofPerson : app.routeOf(request.bearer)
    if (route === null) return refusal(401, 'Bad credentials')
    const limited = limits.refuse()
    if (limited === null) return conditional(request, route(request), limits)
    const isUsedUp = limited.headers?.['x-ratelimit-remaining'] === '0'
    if (!isUsedUp || request.path !== '/graphql') return limited
    // A query above the hourly limit gets status 200.
    return {
      ...limited,
      status: 200,
      json: { errors: [{ type: 'RATE_LIMITED', message: 'API rate limit exceeded' }] },
    }
  }

  const server = await startEmulatorServer({
    port,
    handle(request) {
      const reply = app.login(request) ?? routed(request)
      if (reply.status === 304) notModified.push(request.path)
      return { ...reply, headers: { date: new Date(now()).toUTCString(), ...reply.headers } }
    },
    faultBody: (status) => ({ message: `Status ${status}` }),
    control: { token: () => grants.issue(LOGIN, '').accessToken, ...app.controls, ...controlsOf(state) },
  })
  return {
    ...server,
    state,
    grants,
    access,
    app,
    notModified,
    token: () => grants.issue(LOGIN, '').accessToken,
    get env() {
      return {
        GITHUB_API_URL: server.url,
        GITHUB_APP_CLIENT_ID: app.clientId,
        GITHUB_APP_CLIENT_SECRET: app.clientSecret,
        GITHUB_APP_PRIVATE_KEY: app.privateKey().replaceAll('\n', String.raw`\n`),
      }
    },
  }
}

/** Requests that GitHub refuses with any token. */
function formFault({ headers }: EmulatorRequest): EmulatorReply | null {
  const version = headers['x-github-api-version']
  if ((headers['user-agent'] ?? '') === '')
    return refusal(
      403,
      'Request forbidden by administrative rules. Please make sure your request has a User-Agent header',
    )
  if (version !== undefined && !VERSIONS.has(version))
    return refusal(400, `The version ${version} is not supported`)
  return null
}

/** 304 if the response has the ETag that the request names. */
function conditional(
  { headers }: EmulatorRequest,
  reply: EmulatorReply,
  limits: GitHubLimits,
): EmulatorReply {
  const etag = etagOf(reply)
  const isSame = headers['if-none-match'] === etag && (reply.status ?? 200) === 200
  if (!isSame) limits.count()
  return { ...(isSame ? { status: 304 } : reply), headers: { ...reply.headers, etag, ...limits.headers() } }
}

/** The repositories that personal access tokens can read. */
function viewOfPerson({ state, json, url }: RouteContext, access: Access): View {
  function repositories(request: EmulatorRequest): EmulatorReply {
    const fault = parameterFault(request.query, [...PAGING, 'sort', 'direction', 'visibility', 'affiliation'])
    if (fault !== null) return fault
    const seen = [...state.repositories.values()]
      .filter(({ id, owner }) => !access.hidden.has(id) && owner !== access.sso)
      .toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1))
    const page = paged(request, url(), seen.map(json.repository))
    if (access.sso === null) return page
    return {
      ...page,
      headers: { ...page.headers, 'x-github-sso': 'partial-results; organizations=21955855' },
    }
  }
  return {
    token: 'personal access token',
    mayRead: (right) => access.rights.has(right),
    sees: ({ id }) => !access.hidden.has(id),
    own(request) {
      if (request.method !== 'GET') return null
      if (request.path === '/user') return { json: { login: LOGIN, id: LOGIN_ID, type: 'User' } }
      return request.path === '/user/repos' ? repositories(request) : null
    },
  }
}

/** The control routes. */
function controlsOf(state: GitHubState): Record<string, (body: Record<string, unknown>) => unknown> {
  const repositoryOf = (body: Record<string, unknown>): GitHubRepository => {
    const name = textField(body, 'repository')
    return state.find(name)?.repository ?? state.create(name)
  }
  const issueOf = (body: Record<string, unknown>) => [repositoryOf(body), Number(body['number'])] as const
  return {
    issue: (body) =>
      state.open(repositoryOf(body), { title: textField(body, 'title'), body: textField(body, 'body') })
        .number,
    comment: (body) => state.comment(...issueOf(body), { body: textField(body, 'body') }).id,
    close: (body) => state.change(...issueOf(body), { state: 'closed' }),
    delete: (body) => state.remove(...issueOf(body)),
    write: (body) => state.write(repositoryOf(body), textField(body, 'path'), textField(body, 'content')),
    discuss: (body) =>
      state.discuss(repositoryOf(body), { title: textField(body, 'title'), body: textField(body, 'body') })
        .number,
    'remove-file': (body) => repositoryOf(body).files.delete(textField(body, 'path')),
  }
}
