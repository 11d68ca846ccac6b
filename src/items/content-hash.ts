import { hash } from 'node:crypto'

/** The fields that make an item's content. */
interface Content {
  sourceKind: string
  title: string
  body: string
  url?: string | null | undefined
  authorName?: string | null | undefined
  sourceCreatedAt?: Date | null | undefined
  sourceUpdatedAt?: Date | null | undefined
  metadata: unknown
}

/**
 * SHA-256, in hex, over what makes an item's content: kind, title, body, url, author, dates and metadata. Equal content
 * gives an equal hash, however its metadata's keys are ordered.
 */
export function contentHash(item: Content): string {
  const canonical = [
    item.sourceKind,
    item.title,
    item.body,
    item.url ?? null,
    item.authorName ?? null,
    item.sourceCreatedAt?.getTime() ?? null,
    item.sourceUpdatedAt?.getTime() ?? null,
    inKeyOrder(item.metadata),
  ]
  return hash('sha256', JSON.stringify(canonical), 'hex')
}

function inKeyOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inKeyOrder)
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  // As pairs, since an object would put keys that look like numbers first.
  return { object: entries.map(([key, inner]) => [key, inKeyOrder(inner)]) }
}
