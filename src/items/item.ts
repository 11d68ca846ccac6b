import { z } from 'zod'
import { storableJson, storableText } from '../kernel/text.ts'
import { PROVIDERS } from '../providers/index.ts'
import { contentHash } from './content-hash.ts'

export const SOURCE_KINDS = ['message', 'document', 'file'] as const

const moment = z.iso
  .datetime()
  .transform((text) => new Date(text))
  .nullable()

/** An item as it is compared and stored, read from JSON. It has few long texts, which a worker thread hands over cheaply. */
export const CleanItem = z.object({
  sourceId: z.string(),
  provider: z.enum(PROVIDERS),
  sourceKind: z.enum(SOURCE_KINDS),
  /** With the provider, it identifies the item within the organization. */
  externalId: z.string(),
  title: z.string(),
  body: z.string(),
  url: z.string().nullable(),
  authorName: z.string().nullable(),
  sourceCreatedAt: moment,
  sourceUpdatedAt: moment,
  /** The metadata as JSON text. */
  metadataJson: z.string(),
  /** SHA-256 of its content, in hex. */
  hash: z.string(),
})
export type CleanItem = z.output<typeof CleanItem>

/** Where the row of an item has a field. */
export interface ItemColumn {
  name: string
  /** The SQL type that its JSON is read as. */
  type: string
  /** The column's value where it is not the field itself, which is a column of `r`. */
  value?: string
  /** It identifies the item, so that no update sets it. */
  isKey?: true
}

export const ITEM_COLUMNS: Readonly<Record<keyof CleanItem, ItemColumn>> = {
  sourceId: { name: 'source_id', type: 'uuid' },
  provider: { name: 'provider', type: 'text', isKey: true },
  sourceKind: { name: 'source_kind', type: 'text' },
  externalId: { name: 'external_id', type: 'text', isKey: true },
  title: { name: 'title', type: 'text' },
  body: { name: 'body', type: 'text' },
  url: { name: 'url', type: 'text' },
  authorName: { name: 'author_name', type: 'text' },
  sourceCreatedAt: { name: 'source_created_at', type: 'timestamptz' },
  sourceUpdatedAt: { name: 'source_updated_at', type: 'timestamptz' },
  metadataJson: { name: 'metadata', type: 'text', value: 'r."metadataJson"::jsonb' },
  hash: { name: 'content_sha256', type: 'text', value: "decode(r.hash, 'hex')" },
}

type OptionalField = 'url' | 'authorName' | 'sourceCreatedAt' | 'sourceUpdatedAt'

/** An item as a caller or a connector gives it. */
export type NewItem = Omit<CleanItem, OptionalField | 'metadataJson' | 'hash'> & {
  [Field in OptionalField]?: CleanItem[Field] | undefined
} & { metadata: Record<string, unknown> }

/** Two items of an organization with the same key are the same item. */
export function itemKey(item: { provider: string; externalId: string }): string {
  return `${item.provider}\0${item.externalId}`
}

/** The item as PostgreSQL can store it: NUL removed and lone surrogates replaced, in every text. */
export function cleanItem({ metadata, ...item }: NewItem): CleanItem {
  const clean = {
    ...item,
    externalId: storableText(item.externalId),
    title: storableText(item.title),
    body: storableText(item.body),
    url: textOrNull(item.url),
    authorName: textOrNull(item.authorName),
    sourceCreatedAt: item.sourceCreatedAt ?? null,
    sourceUpdatedAt: item.sourceUpdatedAt ?? null,
  }
  const storable = storableJson(metadata)
  return {
    ...clean,
    metadataJson: JSON.stringify(storable),
    hash: contentHash({ ...clean, metadata: storable }),
  }
}

function textOrNull(text: string | null | undefined): string | null {
  return text == null ? null : storableText(text)
}
