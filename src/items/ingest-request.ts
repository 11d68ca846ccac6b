import { z } from 'zod'
import { tooManyValues } from '../http/json-body.ts'
import { EXAMPLE_ID, idOf, Timestamp } from '../kernel/schemas.ts'
import { providerOf } from '../providers/index.ts'
import { GivenEmbedding } from './given-embedding.ts'
import { cleanItem, type PushedItem } from './item.ts'
import { isLink, URL_CHARACTERS_MAX } from './link.ts'
import { SourceKind } from './schemas.ts'

export const DOCUMENTS_MAX = 1_000
export const INGEST_BYTES_MAX = 10 * 1024 * 1024
export const BODY_BYTES_MAX = 1024 * 1024
export const METADATA_BYTES_MAX = 64 * 1024
export const METADATA_DEPTH_MAX = 16
export const METADATA_VALUES_MAX = 1_000
/** Limit on all values of a document; the schema checks the details. */
const DOCUMENT_VALUES_MAX = METADATA_VALUES_MAX + 100
/** The whole key must fit into one PostgreSQL index entry (2,704 bytes). */
const EXTERNAL_ID_BYTES_MAX = 2_048
export const TITLE_CHARACTERS_MAX = 1_000
export const AUTHOR_CHARACTERS_MAX = 500

export const ExternalId = z
  .string()
  .min(1)
  .refine(
    (value) => Buffer.byteLength(value) <= EXTERNAL_ID_BYTES_MAX,
    `must be at most ${EXTERNAL_ID_BYTES_MAX} bytes in UTF-8`,
  )
  .meta({
    description: "The document's stable ID in your system. Provider and ID together identify the item.",
    example: 'handbook/vacation',
  })

const Metadata = z
  .record(z.string(), z.unknown())
  .refine((value) => valuesOf(value) <= METADATA_VALUES_MAX, {
    message: tooManyValues(METADATA_VALUES_MAX),
    abort: true,
  })
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
  .refine(
    isLink,
    'must be an absolute URL, but not a javascript:, vbscript:, data:, file:, blob:, about: or view-source: URL',
  )

export const IngestDocument = z
  .strictObject({
    connectorId: idOf(
      'The `id` of one of your sources of the same provider, from `GET /v1/sources`. ' +
        'Every workspace starts with a push-only source for each provider.',
      EXAMPLE_ID.source,
    ),
    provider: providerOf("The provider. It must match the source's provider."),
    sourceKind: SourceKind,
    externalId: ExternalId,
    title: z
      .string()
      .min(1)
      .max(TITLE_CHARACTERS_MAX)
      .meta({ description: 'The title, shown in citations.', example: 'Vacation' }),
    body: z
      .string()
      .refine(
        (value) => Buffer.byteLength(value) <= BODY_BYTES_MAX,
        `must be at most ${BODY_BYTES_MAX} bytes (1 MiB) of text in UTF-8`,
      )
      .meta({
        description:
          'The whole text, plain or Markdown. If it is empty, searches find the document by its title.',
        example: 'Employees get 25 days of paid vacation a year. Unused days expire in March.',
      }),
    url: Url.nullish().meta({
      description: 'The link to the original, returned with hits.',
      example: 'https://wiki.example.com/vacation',
    }),
    authorName: z
      .string()
      .max(AUTHOR_CHARACTERS_MAX)
      .nullish()
      .meta({ description: "The author's name.", example: 'Ada Lovelace' }),
    sourceCreatedAt: Timestamp.nullish().meta({
      description: 'When it was written, ISO 8601 with `Z` or an offset.',
      example: '2026-01-12T08:00:00Z',
    }),
    sourceUpdatedAt: Timestamp.nullish().meta({
      description: 'When it was last changed in your system.',
      example: '2026-03-01T16:45:00Z',
    }),
    metadata: Metadata.default({}).meta({
      description:
        'Any other fields, returned with hits. An `accessPolicy` defines who may read the document and is returned unchanged.',
      example: { team: 'people' },
    }),
    embedding: GivenEmbedding.optional(),
  })
  .meta({ id: 'IngestDocument', description: 'A document to store.' })

/** The body of an ingest; parsing returns documents ready to be compared and stored. */
export const IngestRequest = z
  .strictObject({
    documents: z
      .array(
        IngestDocument.transform(({ connectorId, embedding, ...document }): PushedItem => ({
          ...cleanItem({ ...document, sourceId: connectorId }),
          embedding,
        })),
      )
      .min(1)
      .max(DOCUMENTS_MAX, `must have at most ${DOCUMENTS_MAX} documents per request`)
      .describe('The documents. All are stored, or none.'),
  })
  .meta({ id: 'IngestRequest', description: 'The body of an ingest.' })

/** Limits for parsing an ingest's body. A long body is parsed off the event loop. */
export const ingestBody = {
  limits: {
    entriesMax: DOCUMENTS_MAX,
    entryValuesMax: DOCUMENT_VALUES_MAX,
    fieldValuesMax: METADATA_VALUES_MAX,
  },
  schema: { module: import.meta.url, name: 'IngestRequest' },
}

/** Counts all nested values, including lists and objects. */
function valuesOf(value: unknown): number {
  if (value === null || typeof value !== 'object') return 0
  const inner = Object.values(value)
  return inner.reduce<number>((sum, each) => sum + valuesOf(each), inner.length)
}

function depthOf(value: unknown): number {
  if (value === null || typeof value !== 'object') return 0
  return 1 + Object.values(value).reduce<number>((deepest, inner) => Math.max(deepest, depthOf(inner)), 0)
}
