import { makeOnce } from '../../../kernel/make-once.ts'
import type { Feed, FeedItem } from '../../feed.ts'
import { createSurveyFeed, prefixOf, type SurveyedRead } from '../shared/feed.ts'
import { readPage } from './page.ts'
import type { KnownParts, PageReader } from './page-reader.ts'
import { policyOf } from './readers.ts'
import { findSpaces, type Space } from './spaces.ts'
import { surveySite } from './survey.ts'
import { createTree, pagesOfIds, type Tree } from './tree.ts'

export interface ConfluenceRun extends PageReader {
  itemsPerPage: number
  /** The site's origin, for links. */
  site: string
  /** Keys of spaces; empty: all. */
  spaces: readonly string[]
}

/**
 * A feed that compares all pages and blog posts of a site with the last run: Confluence has no change log, and moves,
 * deletions and restrictions do not update a page's time.
 */
export function createConfluenceFeed(run: ConfluenceRun): Feed<null> {
  const { confluence, session, itemsPerPage } = run
  const prefix = prefixOf(run.site)
  const spacesNow = makeOnce(async () => (await findSpaces(confluence, run.spaces)).found)
  const survey = makeOnce(async () =>
    surveySite({ confluence, session, spaces: await spacesNow(), prefix, withParts: true }),
  )
  return createSurveyFeed({
    session,
    prefix,
    itemsPerPage,
    survey,
    async read(id) {
      const { tree, commentsOf, attachmentsOf } = await survey()
      if (!tree.nodes.has(id)) return { item: null, outcome: 'gone' }
      const known = {
        comments: new Set(commentsOf(id).keys()),
        attachments: new Set(attachmentsOf(id).keys()),
      }
      return await itemOf(run, { id, tree, spaces: await spacesNow(), known })
    },
  })
}

/** The current state of one page or blog post, with its ancestors. @throws ProviderError */
export async function readAlone(run: ConfluenceRun, externalId: string): Promise<FeedItem | null> {
  const { confluence } = run
  const id = externalId.slice(prefixOf(run.site).length)
  const { found: spaces } = await findSpaces(confluence, run.spaces)
  const tree = createTree(confluence)
  for await (const nodes of pagesOfIds(confluence, [id])) for (const node of nodes) tree.add(node)
  const { spaceId } = tree.nodes.get(id) ?? { spaceId: '' }
  if (spaceId !== null && !spaces.has(spaceId)) return null
  await tree.complete([id])
  return (await itemOf(run, { id, tree, spaces, known: null })).item
}

/** A page or blog post as an item. `known` are the ids of its known parts; null: unknown, so all are requested. */
async function itemOf(
  run: ConfluenceRun,
  at: { id: string; tree: Tree; spaces: ReadonlyMap<string, Space>; known: KnownParts | null },
): Promise<SurveyedRead> {
  const { site } = run
  const { id, tree, spaces } = at
  const page = await readPage(run, { id, list: tree.listOf(id) }, at.known)
  if (page === null) return { item: null, outcome: 'gone' }
  // Such a part may be deleted before another run sees it.
  const outcome = page.hasNewParts ? 'again' : 'body' in page ? 'read' : 'nothing'
  if ('skipped' in page) return { item: { title: page.title, skipped: page.skipped }, outcome }
  const { webui, metadata, hasNewParts: _has, unread, ...item } = page
  const space = spaces.get(tree.nodes.get(id)?.spaceId ?? '')
  const url = `${site}/wiki${webui}`
  const read = {
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
  }
  return { outcome, item: { item: read, skipped: unread.length === 0 ? null : unread.join('; ') } }
}
