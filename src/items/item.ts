import type { SourceKind } from '../database/schema.ts'
import type { ProviderId } from '../kernel/providers.ts'
import { storableJson, storableText } from '../kernel/text.ts'

/** A document as a caller or a connector gives it. */
export interface NewItem {
  sourceId: string
  provider: ProviderId
  sourceKind: SourceKind
  /** With the provider, what the organization knows the item by. */
  externalId: string
  title: string
  body: string
  url: string | null
  authorName: string | null
  sourceCreatedAt: Date | null
  sourceUpdatedAt: Date | null
  metadata: Record<string, unknown>
}

/** Two items of an organization with the same key are the same item. */
export function itemKey(item: Pick<NewItem, 'provider' | 'externalId'>): string {
  return `${item.provider}\0${item.externalId}`
}

/** The item as PostgreSQL can store it: NUL removed and lone surrogates replaced, in every text. */
export function cleanItem(item: NewItem): NewItem {
  return {
    ...item,
    externalId: storableText(item.externalId),
    title: storableText(item.title),
    body: storableText(item.body),
    url: item.url === null ? null : storableText(item.url),
    authorName: item.authorName === null ? null : storableText(item.authorName),
    metadata: Object.fromEntries(
      Object.entries(item.metadata).map(([key, value]) => [storableText(key), storableJson(value)]),
    ),
  }
}
