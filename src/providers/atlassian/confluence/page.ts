import { z } from 'zod'
import { isRejected, type ProviderItem, returnIf } from '../../adapter.ts'
import { type ThreadEntry, threadText } from '../../thread.ts'
import { cutToBytes } from '../../../text/cut-to-bytes.ts'
import { textOfHtml } from '../../html-text.ts'
import { type ReadAttachments, readAttachments } from './attachments.ts'
import type { Confluence, ConfluenceUser } from './client.ts'
import type { KnownParts, PageReader, Place } from './page-reader.ts'
import { htmlOfStorage, namesIn } from './storage.ts'

const COMMENTS_MAX = 1_000
const SELECTION_CHARACTERS = 100
/** A longer comment is cut before it is parsed. */
const COMMENT_CHARACTERS_MAX = 100_000
const UNKNOWN_PERSON = 'a former user'
const time = z.iso.datetime({ offset: true })
/** Its display name, which filters use too. */
const KINDS_OF = {
  pages: { objectType: 'page', name: 'page' },
  blogposts: { objectType: 'blog_post', name: 'blog post' },
} as const
const NONE: ReadAttachments = { ids: [], names: [], texts: [], unread: [] }
const KINDS = ['footer-comments', 'inline-comments'] as const

const Page = z.object({
  id: z.string(),
  status: z.string(),
  title: z.string(),
  authorId: z.string().nullish(),
  createdAt: time,
  version: z.object({ createdAt: time }),
  body: z.object({ view: z.object({ value: z.string() }) }),
  labels: z.object({ results: z.array(z.object({ name: z.string() })) }).optional(),
  _links: z.object({ webui: z.string().startsWith('/') }),
})
type Page = z.output<typeof Page>

const Comment = z.object({
  id: z.string().regex(/^\d+$/),
  version: z.object({ createdAt: time, authorId: z.string().nullish() }),
  body: z.object({
    storage: z.object({ value: z.string().transform((text) => text.slice(0, COMMENT_CHARACTERS_MAX)) }),
  }),
  properties: z.object({ inlineOriginalSelection: z.string().nullish() }).optional().catch(undefined),
})
type Comment = z.output<typeof Comment> & { what: string }

/** A page without the fields that depend on its place in the tree. */
type ReadPage = Omit<ProviderItem, 'externalId' | 'url'> & {
  webui: string
  /** Attachments that are not read, with the reason. */
  unread: string[]
}

/**
 * A page or blog post with its comments and attachments; null if it does not exist or this account may not see it.
 * `known` are the ids of known parts; null: unknown. `hasNewParts`: others were found. @throws ProviderError
 */
export async function readPage(
  reader: PageReader,
  at: Place,
  known: KnownParts | null,
): Promise<((ReadPage | { title: string; skipped: string }) & { hasNewParts: boolean }) | null> {
  const page = await findPage(reader.confluence, at)
  if (page === null) return null
  const { maxTextBytes } = reader.session.limits
  const text = await textOfHtml(reader, page.body.view.value)
  const count = known?.comments.size ?? Number.POSITIVE_INFINITY
  const found = count === 0 ? [] : await commentsOf(reader.confluence, at, count, maxTextBytes)
  await learn(reader, page, found)
  const nameOf = (accountId: string | null | undefined): string =>
    reader.people.get(accountId ?? '')?.displayName ?? UNKNOWN_PERSON
  const entries: ThreadEntry[] = []
  for (const { what, version, body } of found)
    entries.push({
      what,
      by: nameOf(version.authorId),
      at: new Date(version.createdAt).toISOString(),
      text: await textOfHtml(reader, htmlOfStorage(body.storage.value, nameOf)),
    })
  const attached = known?.attachments.size === 0 ? NONE : await readAttachments(reader, at)
  const thread = threadText('', text, entries, maxTextBytes)
  const body = cutToBytes([thread, ...attached.texts].join('\n\n'), maxTextBytes).trim()
  const hasNewParts =
    found.some(({ id }) => known?.comments.has(id) === false) ||
    attached.ids.some((id) => known?.attachments.has(id) === false)
  const { objectType, name } = KINDS_OF[at.list]
  if (body === '')
    return {
      title: page.title,
      skipped: [`The ${name} has no text`, ...attached.unread].join('; '),
      hasNewParts,
    }
  const author = reader.people.get(page.authorId ?? '') ?? null
  const { metadata, ...item } = itemOf(page, body, author, objectType)
  const { names: attachments, unread } = attached
  return {
    ...item,
    metadata: { ...metadata, ...(attachments.length > 0 && { attachments }) },
    unread,
    hasNewParts,
  }
}

async function findPage(confluence: Confluence, { id, list }: Place): Promise<Page | null> {
  const parameters = { 'body-format': 'view', 'include-labels': 'true' }
  const page = await confluence.find(`api/v2/${list}/${id}`, Page, parameters)
  return page?.status === 'current' && page.id === id ? page : null
}

/** Comments and their replies, until all known ones are found or they fill an item. */
async function commentsOf(
  confluence: Confluence,
  { id, list }: Place,
  known: number,
  maxBytes: number,
): Promise<Comment[]> {
  const found: Comment[] = []
  let length = 0
  const isEnough = (): boolean => length > maxBytes || found.length >= COMMENTS_MAX
  const waiting: { path: string; what: string | null }[] = KINDS.map((kind) => ({
    path: `api/v2/${list}/${id}/${kind}`,
    what: null,
  }))
  for (let next = waiting.shift(); next !== undefined && !isEnough(); next = waiting.shift()) {
    const { path, what } = next
    const kind = path.includes('inline') ? 'inline-comments' : 'footer-comments'
    for await (const comments of confluence.pages(path, Comment, {
      'body-format': 'storage',
      limit: '100',
    })) {
      for (const comment of comments) {
        found.push({ ...comment, what: what ?? headingOf(comment, kind) })
        length += comment.body.storage.value.length
        waiting.push({ path: `api/v2/${kind}/${comment.id}/children`, what: 'Reply' })
      }
      if (isEnough()) break
    }
    // Every comment may have replies, and each list of them is a request.
    if (what === 'Reply' && found.length >= known) break
    if (waiting.every((one) => one.what === 'Reply') && found.length >= known) break
  }
  return found
}

function headingOf({ properties }: z.output<typeof Comment>, kind: (typeof KINDS)[number]): string {
  if (kind === 'footer-comments') return 'Comment'
  const selection = properties?.inlineOriginalSelection?.replaceAll(/\s+/g, ' ').trim() ?? ''
  return selection === ''
    ? 'Inline comment'
    : `Inline comment on "${selection.slice(0, SELECTION_CHARACTERS)}"`
}

/** Requests the page's people who are not known yet, in one batch. */
async function learn({ confluence, people }: PageReader, page: Page, comments: Comment[]): Promise<void> {
  const ids = [
    page.authorId,
    ...comments.flatMap(({ version, body }) => [version.authorId, ...namesIn(body.storage.value)]),
  ]
  const unknown = new Set(ids.flatMap((id) => (id == null || people.has(id) ? [] : id)))
  if (unknown.size === 0) return
  // An account that may not see profiles reads pages without names.
  const found = await confluence.users(unknown).catch(returnIf(isRejected, []))
  for (const id of unknown) people.set(id, null)
  for (const user of found) people.set(user.accountId, user)
}

function itemOf(
  page: Page,
  body: string,
  author: ConfluenceUser | null,
  objectType: string,
): Omit<ReadPage, 'unread'> {
  const labels = page.labels?.results.map(({ name }) => name) ?? []
  return {
    webui: page._links.webui,
    sourceKind: 'document',
    title: page.title.trim() || `Page ${page.id}`,
    body,
    authorName: author?.displayName ?? null,
    sourceCreatedAt: new Date(page.createdAt),
    sourceUpdatedAt: new Date(page.version.createdAt),
    metadata: {
      objectType,
      ...(author?.displayName && { sender: author.displayName }),
      ...(author?.email && { senderEmail: author.email }),
      ...(labels.length > 0 && { labels }),
    },
  }
}
