import { createHash } from 'node:crypto'
import type { EmulatorReply, EmulatorRequest } from '../kit/server.ts'
import type { GitHubJson } from './json.ts'
import type { GitHubRepository, GitHubState } from './state.ts'

export const refusal = (
  status: number,
  message: string,
  headers: Record<string, string> = {},
): EmulatorReply => ({
  status,
  json: { message, documentation_url: 'https://docs.github.com/rest', status: String(status) },
  headers,
})
export const NOT_FOUND = refusal(404, 'Not Found')

export interface RouteContext {
  state: GitHubState
  json: GitHubJson
  url: () => string
  /** The largest tree that is returned whole. */
  treeEntriesMax: number
}

export interface RepositoryCall extends EmulatorRequest {
  repository: GitHubRepository
  /** The values matched by the route's pattern. */
  matched: readonly string[]
}

/** A route below `/repos/{owner}/{repo}`. */
export interface RepositoryRoute {
  pattern: RegExp
  /** The documented parameters. */
  parameters: readonly string[]
  /** The permission that a fine-grained token needs. */
  right: 'metadata' | 'issues' | 'pull_requests' | 'contents'
  answer(call: RepositoryCall): EmulatorReply
}

export const PAGING = ['page', 'per_page']

/** A page of a list, with the links to others (docs.github.com/rest/using-the-rest-api/using-pagination-in-the-rest-api). */
export function paged<Entry>(
  { path, query }: EmulatorRequest,
  url: string,
  all: readonly Entry[],
  show: (entry: Entry) => unknown = (entry) => entry,
): EmulatorReply {
  const size = Number(query.get('per_page') ?? 30)
  const page = Number(query.get('page') ?? 1)
  const linkTo = (number: number, rel: string): string => {
    const target = new URLSearchParams({ ...Object.fromEntries(query), page: String(number) })
    return `<${url}${path}?${target.toString()}>; rel="${rel}"`
  }
  const last = Math.max(1, Math.ceil(all.length / size))
  const links = [
    ...(page > 1 ? [linkTo(page - 1, 'prev')] : []),
    ...(page < last ? [linkTo(page + 1, 'next'), linkTo(last, 'last')] : []),
  ]
  const headers = links.length > 0 ? { link: links.join(', ') } : {}
  return { json: all.slice((page - 1) * size, page * size).map((entry) => show(entry)), headers }
}

const VALUES: Readonly<Record<string, RegExp>> = {
  per_page: /^(?:[1-9]\d?|100)$/,
  page: /^[1-9]\d*$/,
  since: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
  sort: /^(?:created|updated|comments|full_name|pushed)$/,
  direction: /^(?:asc|desc)$/,
  state: /^(?:open|closed|all)$/,
}

/** Refuses parameters that GitHub does not document and values it refuses. */
export function parameterFault(query: URLSearchParams, known: readonly string[]): EmulatorReply | null {
  for (const [name, value] of query) {
    if (!known.includes(name)) return refusal(422, `Validation Failed: unknown parameter ${name}`)
    if (VALUES[name]?.test(value) === false) return refusal(422, `Validation Failed: ${name}`)
  }
  return null
}

/** The ETag of a response, which changes with its content. */
export const etagOf = (reply: EmulatorReply): string =>
  `W/"${createHash('sha256')
    .update(JSON.stringify(reply.json ?? null))
    .digest('hex')}"`
