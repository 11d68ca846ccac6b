import { z } from 'zod'
import { PROVIDERS } from '../providers/index.ts'
import { givenId } from '../kernel/schemas.ts'
import { storableText } from '../kernel/text.ts'
import type { NewItem } from './item.ts'

export const SOURCE_KINDS = ['message', 'document', 'file'] as const

export const DOCUMENTS_MAX = 1_000
export const INGEST_BYTES_MAX = 10 * 1024 * 1024
export const BODY_BYTES_MAX = 1024 * 1024
export const METADATA_BYTES_MAX = 64 * 1024
export const METADATA_DEPTH_MAX = 16
/** With the rest of its key it has to fit into one index entry of PostgreSQL (2,704 bytes). */
const EXTERNAL_ID_BYTES_MAX = 2_048
const TITLE_CHARACTERS_MAX = 1_000
const AUTHOR_CHARACTERS_MAX = 500
const URL_CHARACTERS_MAX = 4_096
/** The console shows the link: nothing that would run there. */
const REFUSED_PROTOCOLS = new Set(['javascript:', 'vbscript:', 'data:'])
/** Years 1 to 9999 in UTC: what ISO 8601 and PostgreSQL can both write. */
const EARLIEST_MS = Date.parse('0001-01-01T00:00:00.000Z')
const LATEST_MS = Date.parse('9999-12-31T23:59:59.999Z')

export const ExternalId = z
  .string()
  .refine((text) => storableText(text) !== '', 'must not be empty')
  .refine(
    (text) => Buffer.byteLength(text) <= EXTERNAL_ID_BYTES_MAX,
    `must be at most ${EXTERNAL_ID_BYTES_MAX} bytes in UTF-8`,
  )

/** ISO 8601 with `Z` or an offset. */
export const Timestamp = z.iso
  .datetime({ offset: true })
  .refine(
    (text) => Date.parse(text) >= EARLIEST_MS && Date.parse(text) <= LATEST_MS,
    'must be in the years 1 to 9999',
  )

const Metadata = z
  .record(z.string(), z.unknown())
  .refine(
    (value) => Buffer.byteLength(JSON.stringify(value)) <= METADATA_BYTES_MAX,
    `must be at most ${METADATA_BYTES_MAX} bytes as JSON`,
  )
  .refine(
    (value) => depthOf(value) <= METADATA_DEPTH_MAX,
    `must not be nested deeper than ${METADATA_DEPTH_MAX} levels`,
  )

const Url = z
  .string()
  .max(URL_CHARACTERS_MAX)
  .refine((text) => {
    const url = URL.parse(text)
    return url !== null && !REFUSED_PROTOCOLS.has(url.protocol)
  }, 'must be an absolute URL that is a link')

/** A document as the API takes it. */
export const IngestDocument = z
  .strictObject({
    connectorId: givenId,
    provider: z.enum(PROVIDERS),
    sourceKind: z.enum(SOURCE_KINDS),
    externalId: ExternalId,
    title: z.string().min(1).max(TITLE_CHARACTERS_MAX),
    body: z
      .string()
      .refine(
        (text) => Buffer.byteLength(text) <= BODY_BYTES_MAX,
        `must be at most ${BODY_BYTES_MAX} bytes (1 MiB) of text in UTF-8`,
      ),
    url: Url.nullish(),
    authorName: z.string().max(AUTHOR_CHARACTERS_MAX).nullish(),
    sourceCreatedAt: Timestamp.nullish(),
    sourceUpdatedAt: Timestamp.nullish(),
    metadata: Metadata.default({}),
  })
  .meta({ id: 'IngestDocument' })

/** The document as the service keeps it. */
export function toNewItem(document: z.output<typeof IngestDocument>): NewItem {
  const { connectorId, url, authorName, sourceCreatedAt, sourceUpdatedAt, ...same } = document
  return {
    ...same,
    sourceId: connectorId,
    url: url ?? null,
    authorName: authorName ?? null,
    sourceCreatedAt: sourceCreatedAt ? new Date(sourceCreatedAt) : null,
    sourceUpdatedAt: sourceUpdatedAt ? new Date(sourceUpdatedAt) : null,
  }
}

function depthOf(value: unknown): number {
  if (value === null || typeof value !== 'object') return 0
  return 1 + Object.values(value).reduce<number>((deepest, inner) => Math.max(deepest, depthOf(inner)), 0)
}
