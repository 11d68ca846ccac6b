import { textField } from '../kit/fields.ts'
import { createGrants, type Grants } from '../kit/grants.ts'
import {
  type EmulatorReply,
  type EmulatorRequest,
  type EmulatorServer,
  startEmulatorServer,
} from '../kit/server.ts'
import { discussionRoot } from './discussions.ts'
import { gitRoutes } from './git-routes.ts'
import { answerQuery } from './graphql.ts'
import { issueRoutes, pullRoutes } from './issue-routes.ts'
import { createGitHubJson } from './json.ts'
import { createLimits, type GitHubLimits } from './limits.ts'
import { etagOf, NOT_FOUND, paged, PAGING, parameterFault, refusal, type RouteContext } from './reply.ts'
import { type GitHubRepository, GitHubState, nameOf } from './state.ts'

const VERSIONS = new Set(['2022-11-28', '2026-03-10'])
const LOGIN = 'ada'

export interface GitHubEmulatorOptions {
  now?: () => number
  port?: number
  /** Requests per hour and token; those answered with 304 do not count. */
  hourly?: number
  /** Requests per minute, the secondary limit. */
  perMinute?: number
  treeEntriesMax?: number
}

/** What the account's tokens may do. */
interface Access {
  /** The rights of fine-grained tokens to private repositories; all by default. */
  rights: Set<string>
  /** Repositories that they do not read. */
  hidden: Set<number>
  /** An organization for which the token is not authorized. Lists leave out its repositories. */
  sso: string | null
}

export interface GitHubEmulator extends Pick<EmulatorServer, 'url' | 'faults' | 'requests' | 'close'> {
  readonly state: GitHubState
  readonly grants: Grants
  readonly access: Access
  /** A token of the account. */
  token(): string
  /** The paths of requests that were answered with 304. */
  readonly notModified: string[]
}

/** GitHub's REST API for one account, as far as the connector uses it. It refuses what GitHub refuses. */
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
  const route = createRouter({ state, json: createGitHubJson(url), url, treeEntriesMax }, access)
  const limits = createLimits({ now, hourly, perMinute })
  const server = await startEmulatorServer({
    port,
    handle(request) {
      const refused = refusalOf(request, grants, limits)
      const isUsedUp = refused?.headers?.['x-ratelimit-remaining'] === '0'
      // A query above the hourly limit is answered with 200.
      if (refused !== null && isUsedUp && request.path === '/graphql')
        return {
          ...refused,
          status: 200,
          json: { errors: [{ type: 'RATE_LIMITED', message: 'API rate limit exceeded' }] },
        }
      const reply = refused ?? conditional(request, route(request), limits)
      if (reply.status === 304) notModified.push(request.path)
      return { ...reply, headers: { date: new Date(now()).toUTCString(), ...reply.headers } }
    },
    faultBody: (status) => ({ message: `Status ${status}` }),
    control: { token: () => grants.issue(LOGIN, '').accessToken, ...controlsOf(state) },
  })
  return { ...server, state, grants, access, notModified, token: () => grants.issue(LOGIN, '').accessToken }
}

function refusalOf(
  { headers, bearer }: EmulatorRequest,
  grants: Grants,
  limits: GitHubLimits,
): EmulatorReply | null {
  const version = headers['x-github-api-version']
  if ((headers['user-agent'] ?? '') === '')
    return refusal(
      403,
      'Request forbidden by administrative rules. Please make sure your request has a User-Agent header',
    )
  if (version !== undefined && !VERSIONS.has(version))
    return refusal(400, `The version ${version} is not supported`)
  if (grants.check(bearer) !== 'valid') return refusal(401, 'Bad credentials')
  return limits.refuse()
}

/** 304 when the answer still has the mark that the request names. */
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

function createRouter(context: RouteContext, access: Access): (request: EmulatorRequest) => EmulatorReply {
  const { state, json, url } = context
  const routes = [...issueRoutes(context), ...pullRoutes(context), ...gitRoutes(context)]

  function ofRepository(request: EmulatorRequest, repository: GitHubRepository, rest: string): EmulatorReply {
    if (access.hidden.has(repository.id)) return NOT_FOUND
    for (const { pattern, parameters, right, answer } of routes) {
      const match = pattern.exec(rest)
      if (match === null) continue
      if (!access.rights.has(right) && repository.isPrivate)
        return refusal(403, 'Resource not accessible by personal access token')
      return (
        parameterFault(request.query, parameters) ??
        answer({ ...request, repository, matched: match.slice(1) })
      )
    }
    return NOT_FOUND
  }

  function ofAccount(request: EmulatorRequest): EmulatorReply {
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

  const root = discussionRoot(state, {
    sees: ({ id }) => !access.hidden.has(id),
    reads: ({ isPrivate }) => access.rights.has('discussions') || !isPrivate,
  })

  function graphql({ body, headers }: EmulatorRequest): EmulatorReply {
    if (!headers['content-type']?.startsWith('application/json')) return refusal(400, 'Problems parsing JSON')
    const parsed: { query?: unknown; variables?: unknown } = Object(JSON.parse(body))
    return { json: answerQuery(String(parsed.query), Object(parsed.variables), root) }
  }

  return (request) => {
    const { path, query, method } = request
    if (path === '/graphql' && method === 'POST') return graphql(request)
    if (method !== 'GET') return NOT_FOUND
    if (path === '/user') return { json: { login: LOGIN, id: 583_231, type: 'User' } }
    if (path === '/user/repos') return ofAccount(request)
    const [, id, below = ''] = /^\/repositories\/(\d+)(\/.*)?$/.exec(path) ?? []
    const byId = id === undefined ? undefined : state.repositories.get(Number(id))
    if (byId !== undefined) return ofRepository(request, byId, below)
    const [, name = '', rest = ''] = /^\/repos\/([\w.-]+\/[\w.-]+)(\/.*)?$/.exec(path) ?? []
    const found = state.find(name)
    if (found === null) return NOT_FOUND
    if (!found.isFormer) return ofRepository(request, found.repository, rest)
    const search = query.size === 0 ? '' : `?${query.toString()}`
    const location = `${url()}/repositories/${found.repository.id}${rest}${search}`
    return refusal(301, 'Moved Permanently', { location })
  }
}

/** What can be changed at the emulator from outside. */
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
