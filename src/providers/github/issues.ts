import { z } from 'zod'
import { isRejected, type ProviderItem, returnIf } from '../adapter.ts'
import type { ThreadEntry } from '../thread.ts'
import type { GitHub } from './client.ts'
import type { Repository } from './repositories.ts'
import { threadText } from './thread.ts'

const GHOST = 'ghost'
const time = z.iso.datetime()
const User = z.object({ login: z.string() }).nullish()

export const Issue = z.object({
  number: z.int(),
  title: z.string(),
  body: z.string().nullish(),
  state: z.string(),
  state_reason: z.string().nullish(),
  user: User,
  labels: z.array(z.union([z.string(), z.object({ name: z.string().nullish() })])).catch([]),
  comments: z.int(),
  html_url: z.url({ protocol: /^https?$/ }),
  repository_url: z.string(),
  created_at: time,
  updated_at: time,
  pull_request: z.object({ merged_at: time.nullish() }).nullish(),
})
export type Issue = z.output<typeof Issue>

/** An issue in a list. An issue in an unknown format is requested individually, and only it fails. */
export const ListedIssue = z.union([
  Issue.transform((issue) => ({ number: issue.number, updated_at: issue.updated_at, issue })),
  z
    .object({ number: z.int(), updated_at: time.nullable().catch(null) })
    .transform((odd) => ({ ...odd, issue: null })),
])

/** A comment in a list of a repository: only which issue or pull request it belongs to. */
export const CommentPlace = z
  .object({ issue_url: z.string().optional(), pull_request_url: z.string().optional(), updated_at: time })
  .transform(({ issue_url: issue, pull_request_url: pull, updated_at }) => ({
    // Comments identify their issue only by this URL.
    number: Number(/\/(\d{1,12})$/.exec(issue ?? pull ?? '')?.[1] ?? Number.NaN),
    updated_at,
  }))

const Comment = z.object({ user: User, body: z.string().nullish(), created_at: time })
const ReviewComment = Comment.extend({ path: z.string() })
const Review = z.object({
  user: User,
  body: z.string().nullish(),
  state: z.string(),
  submitted_at: time.nullish(),
})

/** Reviews whose decision counts even without words. */
const DECISIONS: Readonly<Record<string, string>> = {
  APPROVED: 'Review, approved,',
  CHANGES_REQUESTED: 'Review, changes requested,',
  DISMISSED: 'Review, dismissed,',
}

/** The current issue; null if it was deleted or transferred. @throws ProviderError */
export async function findIssue(
  github: GitHub,
  { full_name: name }: Repository,
  number: number,
): Promise<Issue | null> {
  const issue = await github.find(`repos/${name}/issues/${number}`, Issue)
  // A transferred issue redirects to its new place.
  const isHere = issue?.repository_url.toLowerCase() === `${github.apiUrl}/repos/${name}`.toLowerCase()
  return isHere && issue?.number === number ? issue : null
}

/** An issue or a pull request with its comments and reviews. @throws ProviderError */
export async function readThread(
  github: GitHub,
  repository: Repository,
  issue: Issue,
  maxBytes: number,
): Promise<Omit<ProviderItem, 'externalId'>> {
  const { full_name: name } = repository
  const isPull = issue.pull_request != null
  const kind = isPull ? 'pull request' : 'issue'
  const entries: ThreadEntry[] = []
  const threads = `repos/${name}/issues/${issue.number}`
  if (issue.comments > 0) entries.push(...(await commentsOf(github, `${threads}/comments`, maxBytes)))
  if (isPull) entries.push(...(await reviewsOf(github, `repos/${name}/pulls/${issue.number}`, maxBytes)))
  const labels = issue.labels.flatMap((label) => (typeof label === 'string' ? label : (label.name ?? [])))
  const state = issue.pull_request?.merged_at == null ? issue.state : 'merged'
  const opening = [
    `${name} ${kind} #${issue.number}, ${state}${issue.state_reason === 'not_planned' ? ' as not planned' : ''}.`,
    ...(labels.length > 0 ? [`Labels: ${labels.join(', ')}.`] : []),
  ].join(' ')
  const author = issue.user?.login ?? GHOST
  return {
    sourceKind: 'document',
    title: issue.title.trim() || `${name} #${issue.number}`,
    body: threadText(opening, issue.body, entries, maxBytes),
    url: issue.html_url,
    authorName: author,
    sourceCreatedAt: new Date(issue.created_at),
    sourceUpdatedAt: new Date(issue.updated_at),
    metadata: {
      objectType: kind.replace(' ', '_'),
      number: issue.number,
      state,
      sender: author,
      folder: name.replace('/', ' / '),
      ...(labels.length > 0 && { labels }),
      permalink: issue.html_url,
    },
  }
}

async function commentsOf(github: GitHub, path: string, maxBytes: number): Promise<ThreadEntry[]> {
  const comments = await readUpTo(github, path, Comment, maxBytes)
  return comments.map((comment) => entryOf('Comment', comment, comment.created_at))
}

/** Reviews need a separate permission. Without it, the rest of the pull request is still read. */
async function reviewsOf(github: GitHub, pull: string, maxBytes: number): Promise<ThreadEntry[]> {
  const reviews = await readUpTo(github, `${pull}/reviews`, Review, maxBytes).catch(returnIf(isForbidden, []))
  const comments = await readUpTo(github, `${pull}/comments`, ReviewComment, maxBytes).catch(
    returnIf(isForbidden, []),
  )
  return [
    ...reviews.flatMap((review) => {
      const { state, submitted_at: at, body } = review
      // A pending review is a draft that only its author's token can see.
      if (state === 'PENDING' || at == null) return []
      const what = DECISIONS[state] ?? 'Review'
      return body?.trim() || what !== 'Review' ? entryOf(what, review, at) : []
    }),
    ...comments.map((comment) => entryOf(`Review comment on ${comment.path}`, comment, comment.created_at)),
  ]
}

/** The entries of a list, until they fill an item. */
async function readUpTo<Schema extends z.ZodType<{ body?: string | null | undefined }>>(
  github: GitHub,
  path: string,
  schema: Schema,
  maxBytes: number,
): Promise<z.output<Schema>[]> {
  const entries: z.output<Schema>[] = []
  let length = 0
  for await (const { data } of github.pages(path, schema)) {
    entries.push(...data)
    for (const { body } of data) length += body?.length ?? 0
    if (length > maxBytes) break
  }
  return entries
}

const isForbidden = (error: unknown): boolean => isRejected(error) && error.code === '403'

const entryOf = (
  what: string,
  { user, body }: { user?: { login: string } | null | undefined; body?: string | null | undefined },
  at: string,
): ThreadEntry => ({ what, by: user?.login ?? GHOST, at, text: body })
