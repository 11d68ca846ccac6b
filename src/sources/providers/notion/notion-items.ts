import type { PageObjectResponse } from '@notionhq/client'
import { cutToBytes } from '../../item-text.ts'
import type { ProviderItem } from '../../provider.ts'
import { isNotFound, type NotionObject, type NotionRun } from './notion-client.ts'
import type { NotionPerson } from './notion-people.ts'
import { dataSourceText, propertyLines, readableMarkdown } from './notion-text.ts'
import { titleOf } from './notion-tree.ts'

/** Parts of a long page that are fetched one by one. */
const MOST_PARTS = 100

/**
 * A page as Notion's enhanced Markdown, up to `maxTextBytes`. A long page comes without the parts named in
 * `unknown_block_ids`; they are asked for one by one, those not shared with us left out. Throws ProviderError.
 */
export async function readMarkdown(run: NotionRun, pageId: string): Promise<string> {
  const texts: string[] = []
  const queue = [pageId]
  const asked = new Set(queue)
  let size = 0
  for (
    let id = queue.shift();
    id !== undefined && size < run.session.limits.maxTextBytes;
    id = queue.shift()
  ) {
    const answer = await readPart(run, id, id === pageId)
    if (answer === null) continue
    texts.push(answer.markdown)
    size += Buffer.byteLength(answer.markdown)
    if (!answer.truncated) continue
    for (const part of answer.unknown_block_ids) {
      if (asked.size <= MOST_PARTS && !asked.has(part)) {
        asked.add(part)
        queue.push(part)
      }
    }
  }
  return texts.join('\n')
}

async function readPart(run: NotionRun, id: string, isPage: boolean) {
  try {
    return await run.call((auth) => run.client.pages.retrieveMarkdown({ auth, page_id: id }))
  } catch (error) {
    if (!isPage && isNotFound(error)) return null
    throw error
  }
}

export interface NotionItemContext {
  workspace: { id: string; name: string }
  maxTextBytes: number
}

/** The item of a page or data source. `markdown` is the page's content, '' for a data source. */
export function notionItem(
  context: NotionItemContext,
  object: NotionObject,
  found: { path: string[]; markdown: string; author: NotionPerson | null; editor: NotionPerson | null },
): ProviderItem {
  const { workspace } = context
  const { path, author, editor } = found
  return {
    externalId: object.id,
    sourceKind: 'document',
    title: titleOf(object),
    body: cutToBytes(bodyOf(object, found.markdown), context.maxTextBytes),
    url: object.url,
    authorName: author?.name ?? null,
    sourceCreatedAt: new Date(object.created_time),
    sourceUpdatedAt: new Date(object.last_edited_time),
    metadata: {
      workspace: workspace.name,
      workspaceId: workspace.id,
      ...(author === null ? {} : { sender: author.name }),
      ...(author?.email ? { senderEmail: author.email } : {}),
      ...(editor === null ? {} : { lastEditedBy: editor.name }),
      ...(path.length === 0 ? {} : { folder: path.join(' / ') }),
      objectType: object.object === 'page' ? (isRow(object) ? 'database_row' : 'page') : 'database',
      permalink: object.url,
      // Who may see a page is not in the API; that it is public is.
      ...(object.public_url === null ? {} : { accessPolicy: { visibility: 'public' as const } }),
    },
  }
}

function bodyOf(object: NotionObject, markdown: string): string {
  if (object.object === 'data_source') return dataSourceText(object)
  const properties = isRow(object) ? propertyLines(object) : ''
  return [properties, readableMarkdown(markdown)].filter((part) => part !== '').join('\n\n')
}

const isRow = (page: PageObjectResponse) =>
  page.parent.type === 'data_source_id' || page.parent.type === 'database_id'
