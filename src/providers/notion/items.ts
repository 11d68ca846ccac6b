import { ProviderError, type ProviderItem, type ProviderSession } from '../adapter.ts'
import type { NotionObject, NotionPage } from './objects.ts'
import type { NotionPerson } from './people.ts'
import { dataSourceText, propertyLines } from './text.ts'
import { titleOf } from './tree.ts'
import { cutToBytes } from '../../text/cut-to-bytes.ts'

export interface FoundForItem {
  path: string[]
  /** The page's content; '' for a data source. */
  text: string
  author: NotionPerson | null
  editor: NotionPerson | null
}

/** The item of a page or data source. @throws ProviderError when a property has an unknown shape */
export function notionItem(
  { account, limits }: Pick<ProviderSession, 'account' | 'limits'>,
  object: NotionObject,
  found: FoundForItem,
): ProviderItem {
  const body = cutToBytes(bodyOf(object, found.text), limits.maxTextBytes)
  const { path, author, editor } = found
  return {
    externalId: object.id,
    sourceKind: 'document',
    title: titleOf(object),
    body,
    url: object.url,
    authorName: author?.name ?? null,
    sourceCreatedAt: object.created_time === null ? null : new Date(object.created_time),
    sourceUpdatedAt: new Date(object.last_edited_time),
    metadata: {
      workspace: account.displayName,
      workspaceId: account.externalAccountId,
      ...(author === null ? {} : { sender: author.name }),
      ...(author?.email ? { senderEmail: author.email } : {}),
      ...(editor === null ? {} : { lastEditedBy: editor.name }),
      ...(path.length === 0 ? {} : { folder: path.join(' / ') }),
      objectType: object.object === 'page' ? (isRow(object) ? 'database_row' : 'page') : 'database',
      permalink: object.url,
      // The API does not list readers; it only says whether a page is public.
      ...(object.public_url === null ? {} : { accessPolicy: { visibility: 'public' as const } }),
    },
  }
}

function bodyOf(object: NotionObject, text: string): string {
  if (object.object === 'data_source') return dataSourceText(object)
  return [propertiesOf(object), text].filter((part) => part !== '').join('\n\n')
}

function propertiesOf(page: NotionPage): string {
  if (!isRow(page)) return ''
  try {
    return propertyLines(page)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new ProviderError('rejected', `A property of the row cannot be read: ${error.message}`, {
      cause: error,
    })
  }
}

const isRow = (page: NotionPage) => page.parent?.kind === 'data_source' || page.parent?.kind === 'database'
