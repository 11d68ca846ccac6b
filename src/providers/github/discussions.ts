import { z } from 'zod'
import { isMissing, type ProviderItem, returnIf } from '../adapter.ts'
import { followPages } from '../pages.ts'
import { knownOf, parseThing } from '../rest.ts'
import type { ThreadEntry } from '../thread.ts'
import type { GitHub } from './client.ts'
import type { Repository } from './repositories.ts'
import { threadText } from './thread.ts'

const GHOST = 'ghost'
const LARGEST_PAGE = 100
const COMMENTS_PER_PAGE = 50
const time = z.iso.datetime()
const author = z.object({ login: z.string() }).nullish()
const pageInfo = z.object({ endCursor: z.string().nullish(), hasNextPage: z.boolean() })

const nextOf = ({ endCursor = null, hasNextPage }: z.output<typeof pageInfo>): string | null =>
  hasNextPage ? endCursor : null

const LIST = `query ($owner: String!, $name: String!, $first: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    discussions(first: $first, after: $after, orderBy: { field: UPDATED_AT, direction: DESC }) {
      nodes { number updatedAt }
      pageInfo { endCursor hasNextPage }
    }
  }
}`
/** A discussion whose time is in an unknown format is requested, and only it fails. */
const ListedDiscussion = z.object({ number: z.int(), updatedAt: time.nullable().catch(null) })
const List = z.object({
  repository: z.object({
    discussions: z.object({ nodes: knownOf(ListedDiscussion), pageInfo }),
  }),
})

const READ = `query ($owner: String!, $name: String!, $number: Int!, $first: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    discussion(number: $number) {
      number title body url createdAt updatedAt closed
      author { login }
      category { name }
      labels(first: 50) { nodes { name } }
      comments(first: $first, after: $after) {
        nodes {
          author { login } body createdAt isAnswer
          replies(first: 100) { nodes { author { login } body createdAt } }
        }
        pageInfo { endCursor hasNextPage }
      }
    }
  }
}`
const Reply = z.object({ author, body: z.string(), createdAt: time })
const Comment = Reply.extend({ isAnswer: z.boolean(), replies: z.object({ nodes: knownOf(Reply) }) })
const Discussion = z.object({
  number: z.int(),
  title: z.string(),
  body: z.string(),
  url: z.url({ protocol: /^https?$/ }),
  createdAt: time,
  updatedAt: time,
  closed: z.boolean(),
  author,
  category: z.object({ name: z.string() }),
  labels: z.object({ nodes: knownOf(z.object({ name: z.string() })) }).nullish(),
  comments: z.object({ nodes: knownOf(Comment), pageInfo }),
})
type Discussion = z.output<typeof Discussion>
const Read = z.object({ repository: z.object({ discussion: z.unknown() }) })

/** A page of a repository's discussions, most recently changed first. @throws ProviderError */
export async function listDiscussions(
  github: GitHub,
  repository: Repository,
  first: number,
  after: string | null,
): Promise<{ nodes: z.output<typeof ListedDiscussion>[]; next: string | null }> {
  const answer = await github.graphql(LIST, { ...nameOf(repository), first, after }, List)
  const { nodes, pageInfo: page } = answer.repository.discussions
  return { nodes, next: nextOf(page) }
}

/** All of them, page by page. */
export const allDiscussions = (github: GitHub, repository: Repository) =>
  followPages(
    (after) => listDiscussions(github, repository, LARGEST_PAGE, after),
    ({ next }) => next,
  )

/** A discussion with its comments and their replies; null when it was deleted or transferred. @throws ProviderError */
export async function readDiscussion(
  github: GitHub,
  repository: Repository,
  number: number,
  maxBytes: number,
): Promise<Omit<ProviderItem, 'externalId'> | null> {
  const entries: ThreadEntry[] = []
  let discussion: Discussion | null = null
  const pages = followPages(
    (after) => findDiscussion(github, repository, number, after),
    (page) => page && nextOf(page.comments.pageInfo),
  )
  for await (const page of pages) {
    discussion = page
    for (const comment of page?.comments.nodes ?? []) entries.push(...entriesOf(comment))
    if (entries.reduce((sum, { text }) => sum + (text?.length ?? 0), 0) > maxBytes) break
  }
  return discussion && itemOf(discussion, repository, entries, maxBytes)
}

async function findDiscussion(
  github: GitHub,
  repository: Repository,
  number: number,
  after: string | null,
): Promise<Discussion | null> {
  const variables = { ...nameOf(repository), number, first: COMMENTS_PER_PAGE, after }
  const read = await github.graphql(READ, variables, Read).catch(returnIf(isMissing, null))
  const discussion = read?.repository.discussion
  return discussion == null ? null : parseThing(discussion, Discussion, 'GitHub')
}

const nameOf = ({ full_name }: Repository): { owner: string; name: string } => {
  const [owner = '', name = ''] = full_name.split('/')
  return { owner, name }
}

const entriesOf = (comment: z.output<typeof Comment>): ThreadEntry[] => [
  entryOf(comment.isAnswer ? 'Comment, marked as the answer,' : 'Comment', comment),
  ...comment.replies.nodes.map((reply) => entryOf('Reply', reply)),
]

const entryOf = (what: string, { author: by, body, createdAt }: z.output<typeof Reply>): ThreadEntry => ({
  what,
  by: by?.login ?? GHOST,
  at: createdAt,
  text: body,
})

function itemOf(
  discussion: Discussion,
  { full_name: name }: Repository,
  entries: readonly ThreadEntry[],
  maxBytes: number,
): Omit<ProviderItem, 'externalId'> {
  const { number, category, url } = discussion
  const by = discussion.author?.login ?? GHOST
  const labels = discussion.labels?.nodes.map((label) => label.name) ?? []
  const state = discussion.closed ? 'closed' : 'open'
  const opening = [
    `${name} discussion #${number} in ${category.name}, ${state}.`,
    ...(labels.length > 0 ? [`Labels: ${labels.join(', ')}.`] : []),
  ].join(' ')
  return {
    sourceKind: 'document',
    title: discussion.title.trim() || `${name} #${number}`,
    body: threadText(opening, discussion.body, entries, maxBytes),
    url,
    authorName: by,
    sourceCreatedAt: new Date(discussion.createdAt),
    sourceUpdatedAt: new Date(discussion.updatedAt),
    metadata: {
      objectType: 'discussion',
      number,
      state,
      category: category.name,
      sender: by,
      folder: name.replace('/', ' / '),
      ...(labels.length > 0 && { labels }),
      permalink: url,
    },
  }
}
