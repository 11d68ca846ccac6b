import type { EmulatorReply } from '../kit/server.ts'
import {
  NOT_FOUND,
  paged,
  PAGING,
  refusal,
  type RepositoryCall,
  type RepositoryRoute,
  type RouteContext,
} from './reply.ts'
import type { GitHubComment, GitHubIssue } from './state.ts'

const TIMED = [...PAGING, 'since', 'sort', 'direction']

/** Lists of issues and comments, and single issues. A pull request is an issue too. */
export function issueRoutes({ json, url }: RouteContext): RepositoryRoute[] {
  const commentsOf = ({ repository }: RepositoryCall, { number, comments }: GitHubIssue) =>
    comments.map((comment) => json.comment(repository, number, comment))
  return [
    {
      pattern: /^\/issues$/,
      parameters: [...TIMED, 'state'],
      right: 'issues',
      answer: (call) => {
        const wanted = call.query.get('state') ?? 'open'
        const issues = all(call).filter((issue) => wanted === 'all' || issue.state === wanted)
        return timed(call, url(), issues, (issue) => json.issue(call.repository, issue))
      },
    },
    {
      pattern: /^\/issues\/comments$/,
      parameters: TIMED,
      right: 'issues',
      answer: (call) =>
        timed(
          call,
          url(),
          all(call).flatMap(({ number, comments }) => placed(number, comments)),
          ({ number, comment }) => json.comment(call.repository, number, comment),
        ),
    },
    {
      pattern: /^\/issues\/(\d+)$/,
      parameters: [],
      right: 'issues',
      answer: (call) => issueOr(call, url(), (issue) => ({ json: json.issue(call.repository, issue) })),
    },
    {
      pattern: /^\/issues\/(\d+)\/comments$/,
      parameters: [...PAGING, 'since'],
      right: 'issues',
      answer: (call) => issueOr(call, url(), (issue) => paged(call, url(), commentsOf(call, issue))),
    },
  ]
}

/** Reviews and review comments. */
export function pullRoutes({ json, url }: RouteContext): RepositoryRoute[] {
  const commentsOf = ({ repository }: RepositoryCall, { number, pull }: GitHubIssue) =>
    (pull?.comments ?? []).map((comment) => json.reviewComment(repository, number, comment))
  return [
    {
      pattern: /^\/pulls\/comments$/,
      parameters: TIMED,
      right: 'pull_requests',
      answer: (call) =>
        timed(
          call,
          url(),
          all(call).flatMap(({ number, pull }) => placed(number, pull?.comments ?? [])),
          ({ number, comment }) => json.reviewComment(call.repository, number, comment),
        ),
    },
    {
      pattern: /^\/pulls\/(\d+)\/comments$/,
      parameters: TIMED,
      right: 'pull_requests',
      answer: (call) => pullOr(call, (issue) => paged(call, url(), commentsOf(call, issue))),
    },
    {
      pattern: /^\/pulls\/(\d+)\/reviews$/,
      parameters: PAGING,
      right: 'pull_requests',
      answer: (call) =>
        pullOr(call, ({ pull }) => paged(call, url(), (pull?.reviews ?? []).map(json.review))),
    },
  ]
}

const all = ({ repository }: RepositoryCall): GitHubIssue[] => [...repository.issues.values()]

/** Comments with the number of their issue. */
const placed = (number: number, comments: readonly GitHubComment[]) =>
  comments.map((comment) => ({
    number,
    comment,
    updatedAt: comment.updatedAt,
    createdAt: comment.createdAt,
  }))

/** A list by time, newest first by default. */
function timed<Entry extends { updatedAt: number; createdAt: number }>(
  call: RepositoryCall,
  url: string,
  entries: readonly Entry[],
  show: (entry: Entry) => unknown,
): EmulatorReply {
  const { query } = call
  const since = Date.parse(query.get('since') ?? '')
  const key = query.get('sort') === 'updated' ? 'updatedAt' : 'createdAt'
  const sign = query.get('direction') === 'asc' ? 1 : -1
  const found = entries
    .filter(({ updatedAt }) => Number.isNaN(since) || updatedAt >= since)
    .toSorted((one, other) => sign * (secondOf(one[key]) - secondOf(other[key])))
  return paged(call, url, found, show)
}

/** GitHub's times are whole seconds. */
const secondOf = (at: number): number => Math.floor(at / 1_000)

function issueOr(
  { repository, matched: [named = ''] }: RepositoryCall,
  url: string,
  answer: (issue: GitHubIssue) => EmulatorReply,
): EmulatorReply {
  const number = Number(named)
  const issue = repository.issues.get(number)
  if (issue !== undefined) return answer(issue)
  const moved = repository.moved.get(number)
  if (moved !== undefined) {
    const location = `${url}/repositories/${moved.repository.id}/issues/${moved.number}`
    return refusal(301, 'Moved Permanently', { location })
  }
  return repository.deleted.has(number) ? refusal(410, 'This issue was deleted') : NOT_FOUND
}

function pullOr(
  { repository, matched: [number = ''] }: RepositoryCall,
  answer: (issue: GitHubIssue) => EmulatorReply,
): EmulatorReply {
  const issue = repository.issues.get(Number(number))
  return issue?.pull === undefined ? NOT_FOUND : answer(issue)
}
