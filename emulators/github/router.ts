import type { EmulatorReply, EmulatorRequest } from '../kit/server.ts'
import { discussionRoot } from './discussions.ts'
import { gitRoutes } from './git-routes.ts'
import { answerQuery } from './graphql.ts'
import { issueRoutes, pullRoutes } from './issue-routes.ts'
import { NOT_FOUND, parameterFault, refusal, type RouteContext } from './reply.ts'
import type { GitHubRepository } from './state.ts'

/** The access of a kind of token. */
export interface View {
  /** Its name in refusals. */
  token: 'personal access token' | 'integration'
  mayRead(right: string): boolean
  sees(repository: GitHubRepository): boolean
  /** Answers its own routes; null: not one of them. */
  own(request: EmulatorRequest): EmulatorReply | null
}

/** Answers requests about repositories, with a token of that kind. */
export function createRouter(context: RouteContext, view: View): (request: EmulatorRequest) => EmulatorReply {
  const { state, url } = context
  const routes = [...issueRoutes(context), ...pullRoutes(context), ...gitRoutes(context)]

  function ofRepository(request: EmulatorRequest, repository: GitHubRepository, rest: string): EmulatorReply {
    if (!view.sees(repository)) return NOT_FOUND
    for (const { pattern, parameters, right, answer } of routes) {
      const match = pattern.exec(rest)
      if (match === null) continue
      if (!view.mayRead(right) && repository.isPrivate)
        return refusal(403, `Resource not accessible by ${view.token}`)
      return (
        parameterFault(request.query, parameters) ??
        answer({ ...request, repository, matched: match.slice(1) })
      )
    }
    return NOT_FOUND
  }

  const root = discussionRoot(state, {
    sees: view.sees,
    reads: ({ isPrivate }) => view.mayRead('discussions') || !isPrivate,
  })

  function graphql({ body, headers }: EmulatorRequest): EmulatorReply {
    if (!headers['content-type']?.startsWith('application/json')) return refusal(400, 'Problems parsing JSON')
    const parsed: { query?: unknown; variables?: unknown } = Object(JSON.parse(body))
    return { json: answerQuery(String(parsed.query), Object(parsed.variables), root) }
  }

  return (request) => {
    const { path, query, method } = request
    if (path === '/graphql' && method === 'POST') return graphql(request)
    const own = view.own(request)
    if (own !== null || method !== 'GET') return own ?? NOT_FOUND
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
