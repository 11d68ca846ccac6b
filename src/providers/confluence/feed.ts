import type { Feed, FeedPage } from '../feed.ts'
import type { TextExtractor } from '../../file-text/index.ts'
import type { ProviderItem, ProviderSession } from '../provider.ts'
import type { Confluence } from './client.ts'
import { readPage, type PageReader } from './page.ts'
import { emptyPosition, NOTHING, Position, readersIn } from './position.ts'
import { policyOf } from './readers.ts'
import { findSpaces, type Space } from './spaces.ts'
import { marksOf, type Survey, surveySite } from './survey.ts'
import { createTree, Node, type Tree } from './tree.ts'

const REMOVED_AT_ONCE = 1_000

export interface ConfluenceRun {
  confluence: Confluence
  session: ProviderSession
  extractor: TextExtractor
  itemsPerPage: number
  /** The site's origin, for links. */
  site: string
  /** Keys; none: all spaces. */
  spaces: readonly string[]
}

/** Of every item: the site's host. */
export const prefixOf = (site: string): string => `${new URL(site).host}/`

/** A run in progress: what is still to be read, and what has been. */
interface Progress {
  position: Position
  marks: ReadonlyMap<string, string>
  waiting: string[]
  gone: string[]
}

/**
 * The pages of a site, compared as a whole with what was read last: Confluence has no log of changes, and moves, deletions
 * and restrictions change no time.
 */
export function createConfluenceFeed(run: ConfluenceRun): Feed<null> {
  const { confluence, session, itemsPerPage } = run
  const prefix = prefixOf(run.site)
  const reader: PageReader = { confluence, session, extractor: run.extractor, people: new Map() }
  let spaces: Promise<ReadonlyMap<string, Space>> | undefined
  let surveyed: Promise<Survey> | undefined
  let progress: Progress | undefined
  const spacesNow = () => (spaces ??= findSpaces(confluence, run.spaces).then(({ found }) => found))
  const survey = () =>
    (surveyed ??= spacesNow().then((found) =>
      surveySite({ confluence, session, spaces: found, prefix, withComments: true }),
    ))

  async function begin(position: Position): Promise<Progress> {
    const now = await survey()
    const marks = await marksOf(now, session.signal)
    for (const id of Object.keys(position.known)) if (!marks.has(id)) delete position.known[id]
    const isAsRead = (id: string): boolean => {
      const known = position.known[id] ?? ''
      const mark = marks.get(id) ?? ''
      return known === mark + NOTHING || (known === mark && now.stored.has(id))
    }
    const waiting = now.pages.filter((id) => !early.has(id) && !isAsRead(id))
    const begun = { position, marks, waiting, gone: [...now.gone] }
    for (const [id, outcome] of early) settle(begun, id, outcome)
    return begun
  }

  async function advance(from: Position): Promise<FeedPage<null> & { gone: string[] }> {
    progress ??= await begin(from)
    session.signal.throwIfAborted()
    const { position, marks, waiting } = progress
    const gone = progress.gone.splice(0, REMOVED_AT_ONCE)
    const ids = waiting.splice(0, itemsPerPage)
    for (const id of ids) position.known[id] = marks.get(id) ?? ''
    return {
      listed: ids.map((id) => ({ externalId: prefix + id, entry: null })),
      gone,
      next: position,
      isLast: waiting.length + progress.gone.length === 0,
    }
  }

  /** What was read before this run began to compare: items that an earlier run could not read. */
  const early = new Map<string, Outcome>()
  const note = (id: string, outcome: Outcome): void => {
    if (progress === undefined) early.set(id, outcome)
    else settle(progress, id, outcome)
  }

  return {
    start: async () => emptyPosition(),
    async list(after) {
      const page = await advance(after === null ? emptyPosition() : Position.parse(after))
      return { ...page, since: page.next }
    },
    changes: (since) => advance(Position.parse(since)),
    async read(externalId) {
      const id = externalId.slice(prefix.length)
      const { tree, commentsOf } = await survey()
      if (!tree.nodes.has(id)) return null
      const at = { id, tree, spaces: await spacesNow(), comments: new Set(commentsOf(id).keys()) }
      try {
        const { item, outcome } = await itemOf(run, reader, at)
        note(id, outcome)
        return item
      } catch (error) {
        note(id, 'again')
        throw error
      }
    },
  }
}

/** `nothing`: there is no text. `again`: the next run must read it again. */
type Outcome = 'read' | 'nothing' | 'gone' | 'again'

function settle({ position: { known }, marks }: Progress, id: string, outcome: Outcome): void {
  const mark = marks.get(id)
  if (mark === undefined || outcome === 'gone') delete known[id]
  else if (outcome === 'again') known[id] = `.${readersIn(mark)}`
  else known[id] = outcome === 'read' ? mark : mark + NOTHING
}

/** One page as it is now, with what is above it. Throws ProviderError. */
export async function readAlone(
  run: ConfluenceRun,
  externalId: string,
): Promise<ProviderItem | { skipped: string } | null> {
  const { confluence, session, extractor } = run
  const id = externalId.slice(prefixOf(run.site).length)
  const { found: spaces } = await findSpaces(confluence, run.spaces)
  const tree = createTree(confluence)
  for await (const [node] of confluence.pages('api/v2/pages', Node, { id, status: 'current' }))
    if (node !== undefined) tree.add(node)
  if (!spaces.has(tree.nodes.get(id)?.spaceId ?? '')) return null
  await tree.complete([id])
  const reader = { confluence, session, extractor, people: new Map() }
  return (await itemOf(run, reader, { id, tree, spaces, comments: null })).item
}

/** A page as an item. `comments` are those that are known of; null: none is known, so all are looked for. */
async function itemOf(
  { site }: ConfluenceRun,
  reader: PageReader,
  at: { id: string; tree: Tree; spaces: ReadonlyMap<string, Space>; comments: ReadonlySet<string> | null },
): Promise<{ item: ProviderItem | { skipped: string } | null; outcome: Outcome }> {
  const { id, tree, spaces } = at
  const page = await readPage(reader, id, at.comments)
  if (page === null) return { item: null, outcome: 'gone' }
  // Such a comment may be deleted before another run hears of it.
  const outcome = page.hasNewComments ? 'again' : 'body' in page ? 'read' : 'nothing'
  if ('skipped' in page) return { item: { skipped: page.skipped }, outcome }
  const { webui, metadata, hasNewComments: _has, ...item } = page
  const space = spaces.get(tree.nodes.get(id)?.spaceId ?? '')
  const url = `${site}/wiki${webui}`
  return {
    outcome,
    item: {
      ...item,
      externalId: `${prefixOf(site)}${id}`,
      url,
      metadata: {
        workspace: new URL(site).host,
        ...(space && { space: space.name, spaceKey: space.key }),
        ...metadata,
        folder: [space?.name ?? '', tree.placeOf(id).path].filter((part) => part !== '').join(' / '),
        permalink: url,
        accessPolicy: policyOf(tree, id),
      },
    },
  }
}
