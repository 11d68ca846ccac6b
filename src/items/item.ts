import type { SourceKind } from '../database/schema.ts'
import type { ProviderId } from '../kernel/providers.ts'
import { storableJson, storableText } from '../kernel/text.ts'
import { contentHash } from './content-hash.ts'

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
export function itemKey(item: { provider: string; externalId: string }): string {
  return `${item.provider}\0${item.externalId}`
}

/** An item as it is compared and stored. Made of few long texts, so that a worker thread can hand it over cheaply. */
export interface CleanItem extends Omit<NewItem, 'metadata'> {
  /** The metadata as JSON text. */
  metadataJson: string
  /** SHA-256 of its content, in hex. */
  hash: string
}

/** The item as PostgreSQL can store it: NUL removed and lone surrogates replaced, in every text. */
export function cleanItem({ metadata, ...item }: NewItem): CleanItem {
  const clean = {
    ...item,
    externalId: storableText(item.externalId),
    title: storableText(item.title),
    body: storableText(item.body),
    url: item.url === null ? null : storableText(item.url),
    authorName: item.authorName === null ? null : storableText(item.authorName),
  }
  const storable = storableJson(metadata)
  return {
    ...clean,
    metadataJson: JSON.stringify(storable),
    hash: contentHash({ ...clean, metadata: storable }),
  }
}
