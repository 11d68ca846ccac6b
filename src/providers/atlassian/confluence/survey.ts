import { z } from 'zod'
import { runCooperatively, type Pausable } from '../../../kernel/cooperative.ts'
import { isMissing, ProviderError, type ProviderSession } from '../../adapter.ts'
import { storedBelow } from '../../stored-ids.ts'
import type { Surveyed } from '../shared/feed.ts'
import { inParts } from '../../../kernel/in-parts.ts'
import { byNumber, hashOf } from '../shared/position.ts'
import type { Confluence } from './client.ts'
import type { Space } from './spaces.ts'
import {
  CONTENT_LISTS,
  createTree,
  layerOf,
  type Node,
  pagesOfIds,
  pagesOfSpace,
  Restriction,
  type Tree,
} from './tree.ts'

const PAGES_MAX = 20_000
const SEARCHED_PER_REQUEST = 100
const SPACES_PER_QUERY = 25

/**
 * A CQL result: a page, blog post, comment or attachment. CQL's index may lag, so it never decides which pages exist.
 */
const Found = z.object({
  id: z.string(),
  type: z.string(),
  version: z.object({ number: z.int() }).optional().catch(undefined),
  restrictions: z.object({ read: Restriction }).optional().catch(undefined),
  container: z.object({ id: z.coerce.string() }).optional().catch(undefined),
  metadata: z
    .object({ labels: z.object({ results: z.array(z.object({ name: z.string() })) }) })
    .transform(({ labels }) => labels.results.map(({ name }) => name).toSorted())
    .catch([]),
})

/**
 * The current pages and blog posts of the chosen spaces, with everything that does not update their modification
 * time.
 */
export interface Survey extends Surveyed {
  readonly tree: Tree
  /** The comments of a page with their versions, according to CQL. */
  commentsOf(id: string): ReadonlyMap<string, number>
  attachmentsOf(id: string): ReadonlyMap<string, number>
}

interface SurveyOptions {
  confluence: Confluence
  session: ProviderSession
  spaces: ReadonlyMap<string, Space>
  /** The prefix of item ids, with a trailing slash. */
  prefix: string
  /** Without comments and attachments if only readers matter. */
  withParts: boolean
}

/** Lists everything in the chosen spaces without texts: one request per 100 to 250 pages. @throws ProviderError */
export async function surveySite(options: SurveyOptions): Promise<Survey> {
  const { confluence, session, spaces, prefix } = options
  const tree = createTree(confluence)
  const add = (nodes: readonly Node[]): void => {
    // A page of an unknown space must have been in one of these.
    for (const node of nodes) if (node.spaceId === null || spaces.has(node.spaceId)) tree.add(node)
    if (tree.nodes.size > PAGES_MAX)
      throw new ProviderError('rejected', `The spaces have more than ${PAGES_MAX} pages; name fewer spaces`)
  }
  for (const { id } of spaces.values()) {
    session.signal.throwIfAborted()
    for (const list of CONTENT_LISTS) await eachPage(pagesOfSpace(confluence, id, list), add)
  }
  // A page that moves between spaces during the survey may be in neither list.
  const stored = (await storedBelow(session, prefix)).map((id) => id.slice(prefix.length))
  const missing = stored.filter((id) => !tree.nodes.has(id))
  for await (const nodes of pagesOfIds(confluence, missing)) add(nodes)
  const ids = [...tree.nodes.keys()].toSorted(byNumber)
  // Before archived pages enter the tree as ancestors of current ones.
  const gone = missing.filter((id) => !tree.nodes.has(id)).map((id) => prefix + id)
  const { parts, labels } = await search(options, tree)
  await tree.complete(ids)
  const commentsOf = (id: string): ReadonlyMap<string, number> => parts.comment.get(id) ?? NONE
  const attachmentsOf = (id: string): ReadonlyMap<string, number> => parts.attachment.get(id) ?? NONE
  const marks = await runCooperatively(
    eachMark({ ids, tree, commentsOf, attachmentsOf, labels, spaces }),
    session.signal,
  )
  return { ids, marks, stored: new Set(stored), gone, tree, commentsOf, attachmentsOf }
}

const NONE: ReadonlyMap<string, number> = new Map()

/** If the space was deleted meanwhile, it has no pages. */
async function eachPage<Entry>(
  pages: AsyncGenerator<Entry[]>,
  add: (nodes: readonly Entry[]) => void,
): Promise<void> {
  try {
    for await (const nodes of pages) add(nodes)
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}

/** Reads restrictions into the tree, and returns comments, attachments and labels by page. */
async function search(
  { confluence, session, spaces, withParts }: SurveyOptions,
  tree: Tree,
): Promise<{ parts: Record<'comment' | 'attachment', Parts>; labels: Map<string, string[]> }> {
  const parts = {
    comment: new Map<string, Map<string, number>>(),
    attachment: new Map<string, Map<string, number>>(),
  }
  const labels = new Map<string, string[]>()
  for (const some of inParts([...spaces.values()], SPACES_PER_QUERY)) {
    const keys = some.map(({ key }) => `"${key}"`).join(', ')
    const parameters = {
      cql: `space in (${keys}) and type in (page, blogpost${withParts ? ', comment, attachment' : ''})`,
      limit: String(SEARCHED_PER_REQUEST),
      expand:
        'version,container,metadata.labels,restrictions.read.restrictions.user,restrictions.read.restrictions.group',
    }
    for await (const found of confluence.pages('rest/api/content/search', Found, parameters)) {
      session.signal.throwIfAborted()
      for (const { id, type, version, restrictions, container, metadata } of found) {
        if (type === 'comment' || type === 'attachment') {
          if (container !== undefined) note(parts[type], container.id, id, version?.number ?? 0)
          continue
        }
        const { layer, isCut } = restrictions === undefined ? CUT : layerOf(restrictions.read)
        if (!isCut) tree.setLayer(id, layer)
        labels.set(id, metadata)
      }
    }
  }
  return { parts, labels }
}

/** Versions by id, by page. */
type Parts = Map<string, Map<string, number>>

function note(parts: Parts, page: string, id: string, version: number): void {
  const known = parts.get(page) ?? new Map<string, number>()
  parts.set(page, known.set(id, version))
}

/** Requested individually. */
const CUT = { layer: null, isCut: true }

/** The mark of every page's current state, by id: one part for its content, one for its readers. */
function* eachMark({
  ids,
  tree,
  commentsOf,
  attachmentsOf,
  labels,
  spaces,
}: Pick<Survey, 'ids' | 'tree' | 'commentsOf' | 'attachmentsOf'> &
  Pick<SurveyOptions, 'spaces'> & { labels: ReadonlyMap<string, readonly string[]> }): Pausable<
  Map<string, string>
> {
  const marks = new Map<string, string>()
  for (const id of ids) {
    yield
    const node = tree.nodes.get(id)
    const { name, key } = spaces.get(node?.spaceId ?? '') ?? {}
    const comments = sorted(commentsOf(id))
    const attachments = sorted(attachmentsOf(id))
    const state = [node?.version.number, tree.placeOf(id).path, name, key, comments]
    // Most pages have no comments and no attachments.
    const more = [attachments, labels.get(id) ?? []]
    const content = hashOf(more.every(({ length }) => length === 0) ? state : [...state, ...more], 8)
    marks.set(id, `${content}.${hashOf(readerGroupOf(tree, id), 5)}`)
  }
  return marks
}

const sorted = (versions: ReadonlyMap<string, number>): [string, number][] =>
  [...versions].toSorted(([one], [other]) => byNumber(one, other))

/** The group of a page's readers; null: unknown. */
export function readerGroupOf(tree: Tree, id: string): string | null {
  const { guard, isClosed } = tree.placeOf(id)
  if (isClosed) return null
  return guard === null ? spaceGroup(tree.nodes.get(id)?.spaceId ?? '') : guardGroup(guard)
}

export const spaceGroup = (id: string): string => `confluence-space-${id}`
export const guardGroup = (id: string): string => `confluence-content-${id}`
