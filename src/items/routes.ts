import { z } from 'zod'
import { defineRoute, reply } from '../http/route.ts'
import { PROVIDERS } from '../providers/index.ts'
import { givenId } from '../kernel/schemas.ts'
import { storableText } from '../kernel/text.ts'
import {
  DOCUMENTS_MAX,
  ExternalId,
  INGEST_BYTES_MAX,
  IngestDocument,
  SOURCE_KINDS,
  toNewItem,
} from './document-schema.ts'
import type { Items } from './items.ts'

export interface ItemServices {
  items: Items
}

const IngestRequest = z
  .strictObject({
    documents: z
      .array(IngestDocument)
      .min(1)
      .max(DOCUMENTS_MAX, `at most ${DOCUMENTS_MAX} documents a request`),
  })
  .meta({ id: 'IngestRequest' })

const IngestResponse = z
  .object({ ingested: z.int().min(0), skipped: z.int().min(0) })
  .meta({ id: 'IngestResponse' })

const nullableTime = z.iso.datetime().nullable()

const SourceItem = z
  .object({
    id: z.uuid(),
    connectorId: z.uuid(),
    provider: z.enum(PROVIDERS),
    sourceKind: z.enum(SOURCE_KINDS),
    externalId: z.string(),
    title: z.string(),
    body: z.string(),
    url: z.string().nullable(),
    authorName: z.string().nullable(),
    sourceCreatedAt: nullableTime,
    sourceUpdatedAt: nullableTime,
    metadata: z.record(z.string(), z.unknown()),
    syncedAt: z.iso.datetime(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'SourceItem' })

const DeletedSourceItem = z
  .object({
    sourceItem: z.object({
      id: z.uuid(),
      connectorId: z.uuid(),
      provider: z.enum(PROVIDERS),
      externalId: z.string(),
    }),
    deletedAt: z.iso.datetime(),
  })
  .meta({ id: 'DeletedSourceItem' })

const shared = { tag: 'Ingest', credits: 0 } as const
const itemId = z.object({ id: givenId })

export const itemRoutes = [
  defineRoute<ItemServices>()({
    ...shared,
    operationId: 'ingest',
    method: 'POST',
    path: '/v1/ingest',
    summary: 'Push documents',
    description:
      'All or nothing. A document that exists (by provider and externalId) is updated, one with the same content is ' +
      'skipped. They are searchable when the call returns.',
    access: { surface: 'agent', action: 'ingest' },
    audit: 'source_item.ingest',
    bodyBytesMax: INGEST_BYTES_MAX,
    body: IngestRequest,
    responses: { 200: IngestResponse },
    refuses: [
      'duplicate_document',
      'provider_mismatch',
      'not_found',
      'embedding_model_mismatch',
      'upstream_error',
      'overloaded',
    ],
    handle: async ({ principal, body, requestId, signal }, { items }) =>
      reply(200, await items.ingest(principal, body.documents.map(toNewItem), requestId, signal)),
  }),
  defineRoute<ItemServices>()({
    ...shared,
    operationId: 'getSourceItem',
    method: 'GET',
    path: '/v1/source-items/{id}',
    summary: 'Show one source item',
    access: { surface: 'agent', action: 'search' },
    audit: 'none',
    params: itemId,
    responses: { 200: z.object({ sourceItem: SourceItem }) },
    handle: async ({ principal, params }, { items }) =>
      reply(200, { sourceItem: await items.get(principal, params.id) }),
  }),
  defineRoute<ItemServices>()({
    ...shared,
    operationId: 'deleteSourceItem',
    method: 'DELETE',
    path: '/v1/source-items/{id}',
    summary: 'Remove a source item with its chunks and vectors',
    access: { surface: 'agent', action: 'ingest' },
    audit: 'source_item.delete',
    params: itemId,
    responses: { 200: DeletedSourceItem },
    handle: async ({ principal, params }, { items }) =>
      reply(200, await items.remove(principal, { id: params.id })),
  }),
  defineRoute<ItemServices>()({
    ...shared,
    operationId: 'deleteSourceItemByExternalId',
    method: 'DELETE',
    path: '/v1/source-items',
    summary: 'Remove a source item by its provider and external id',
    access: { surface: 'agent', action: 'ingest' },
    audit: 'source_item.delete',
    query: z.strictObject({ provider: z.enum(PROVIDERS), externalId: ExternalId }),
    refuses: ['not_found'],
    responses: { 200: DeletedSourceItem },
    handle: async ({ principal, query: { provider, externalId } }, { items }) =>
      reply(200, await items.remove(principal, { provider, externalId: storableText(externalId) })),
  }),
]
