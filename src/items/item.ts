import { hash } from 'node:crypto'
import { z } from 'zod'
import type { Row } from '../database/schema.ts'
import { SOURCE_KINDS } from '../kernel/source-kinds.ts'
import { storableJson, storableText } from '../kernel/text.ts'
import { PROVIDERS } from '../providers/index.ts'
import type { GivenEmbedding } from './given-embedding.ts'

const text = z.string().transform(storableText)
const optionalText = text.nullish().transform((given) => given ?? null)
const optionalMoment = z
  .union([z.instanceof(Date), z.iso.datetime({ offset: true }).transform((given) => new Date(given))])
  .nullish()
  .transform((given) => given ?? null)

/**
 * The fields of an item, as PostgreSQL can store them: NUL removed and lone surrogates replaced. A field derived from them
 * belongs in {@link CleanItem}, not in `contentHash`.
 */
const Fields = z.object({
  sourceId: z.string(),
  provider: z.enum(PROVIDERS),
  sourceKind: z.enum(SOURCE_KINDS),
  /** Identifies the item within the organization, together with the provider. */
  externalId: text,
  title: text,
  body: text,
  url: optionalText,
  authorName: optionalText,
  sourceCreatedAt: optionalMoment,
  sourceUpdatedAt: optionalMoment,
})

export type NewItem = z.input<typeof Fields> & { metadata: Record<string, unknown> }

/** An item ready to be compared and stored, of few long texts, which cross threads cheaply. */
export const CleanItem = Fields.extend({
  metadataJson: z.string(),
  /** SHA-256 of its content, in hex. */
  hash: z.string(),
})
export type CleanItem = z.output<typeof CleanItem>

/** A caller's item. Its vectors are not part of its content. */
export type PushedItem = CleanItem & { embedding?: GivenEmbedding | undefined }

/** How a field maps to its column. */
export interface ItemColumn {
  name: keyof Row<'source_items'>
  /** The SQL type for reading its JSON. */
  type: string
  /** An SQL expression for the column's value, if it is not the field itself; fields are columns of `r`. */
  value?: string
  /** Part of the key, so updates leave it alone. */
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

/** A list of items has no texts and only one of the source's dates. */
const ListedFields = Fields.omit({ body: true, sourceCreatedAt: true })

/** The columns of {@link listedFieldsOf}. */
export const LISTED_COLUMNS = columnsOf(ListedFields).map(([, name]) => name)

function columnsOf(fields: z.ZodObject): [field: string, column: keyof Row<'source_items'>][] {
  return Object.entries(ITEM_COLUMNS).flatMap(([field, { name }]) =>
    field in fields.shape ? [[field, name]] : [],
  )
}

export function fieldsOf(row: Row<'source_items'>): z.output<typeof Fields> {
  return Fields.parse(Object.fromEntries(columnsOf(Fields).map(([field, name]) => [field, row[name]])))
}

export function listedFieldsOf(row: Readonly<Record<string, unknown>>): z.output<typeof ListedFields> {
  return ListedFields.parse(
    Object.fromEntries(columnsOf(ListedFields).map(([field, name]) => [field, row[name]])),
  )
}

/** Two items of an organization with the same key are the same item. */
export function itemKey(item: { provider: string; externalId: string }): string {
  return `${item.provider}\0${item.externalId}`
}

export function cleanItem({ metadata, ...item }: NewItem): CleanItem {
  const clean = Fields.parse(item)
  const storable = storableJson(metadata)
  return {
    ...clean,
    metadataJson: JSON.stringify(storable),
    hash: contentHash({ ...clean, metadata: storable }),
  }
}

/**
 * The fields that every stored hash covers, null too. Append a new field behind the metadata in {@link contentHash}, and only
 * if it has a value, so that stored hashes stay valid.
 */
const CONTENT = [
  'sourceKind',
  'title',
  'body',
  'url',
  'authorName',
  'sourceCreatedAt',
  'sourceUpdatedAt',
] as const

/** SHA-256, in hex, of an item's content, independent of the order of metadata keys. */
export function contentHash(item: Pick<NewItem, (typeof CONTENT)[number]> & { metadata: unknown }): string {
  const fields = CONTENT.map((field) => {
    const value = item[field] ?? null
    return value instanceof Date ? value.getTime() : value
  })
  return hash('sha256', JSON.stringify([...fields, inKeyOrder(item.metadata)]), 'hex')
}

function inKeyOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inKeyOrder)
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  // Pairs keep their order; an object would move numeric keys to the front.
  return { object: entries.map(([key, inner]) => [key, inKeyOrder(inner)]) }
}
