import { z } from 'zod'
import { FORMATS_IN_WORDS, SERVICE_FILE_LIMITS } from '../file-text/index.ts'
import { defineRoute, reply } from '../http/route.ts'
import { readingTwins, twins } from '../http/twins.ts'
import { count, EXAMPLE_ID, fileName, idOf, onBehalfOfQuery, Timestamp } from '../kernel/schemas.ts'
import { INGEST_BYTES_MAX, ingestBody, IngestRequest } from './ingest-request.ts'
import { ItemPage, ItemReader, ListQuery, SourceItem } from './schemas.ts'
import { StoredFile } from './console-schemas.ts'
import type { Files } from './files.ts'
import type { Items } from './items.ts'

export interface ItemServices {
  items: Items
  files: Files
}

const IngestResponse = z
  .object({
    ingested: count('Documents that were new or had changed.', 1),
    skipped: count('Documents already stored with the same content.', 0),
  })
  .meta({ id: 'IngestResponse', description: 'The result of an ingest.' })

const shared = { tag: 'Ingest' } as const
const itemId = z.object({
  id: idOf("The item's ID: `sourceItemId` of a hit, or `id` in the list.", EXAMPLE_ID.sourceItem),
})

export const itemRoutes = [
  ...twins<ItemServices>()({
    ...shared,
    operationId: 'ingest',
    method: 'POST',
    path: '/ingest',
    summary: 'Push documents',
    description:
      'All or nothing. An existing document (same provider and externalId) is updated, or skipped if its content is the ' +
      "same. Documents are searchable when the call returns. Replace the example's `connectorId` with the `id` of one of " +
      'your sources (`GET /v1/sources`).',
    action: 'ingest',
    consoleRole: 'admin',
    audit: 'source_item.ingest',
    bodyBytesMax: INGEST_BYTES_MAX,
    body: IngestRequest,
    reading: ingestBody,
    responses: { 200: IngestResponse },
    refuses: [
      'duplicate_document',
      'provider_mismatch',
      'not_found',
      'embedding_model_mismatch',
      'upstream_error',
      'overloaded',
    ],
    handle: async ({ caller, body, requestId, signal }, { items }) =>
      reply(200, await items.ingest(caller, body.documents, requestId, signal)),
  }),
  ...readingTwins<ItemServices>()({
    ...shared,
    operationId: 'listSourceItems',
    method: 'GET',
    path: '/source-items',
    summary: 'List stored items',
    description:
      'Latest content change first. Continue with `nextCursor` until it is null. Items that change meanwhile ' +
      'move to the front of the list; all others are listed exactly once.',
    action: 'search',
    consoleRole: 'member',
    audit: 'none',
    query: ListQuery,
    onBehalfOf: 'query',
    responses: { 200: ItemPage },
    handle: async ({ viewer, query }, { items }) => reply(200, await items.list(viewer, query)),
  }),
  ...readingTwins<ItemServices>()({
    ...shared,
    operationId: 'getSourceItem',
    method: 'GET',
    path: '/source-items/{id}',
    summary: 'Show one source item',
    action: 'search',
    consoleRole: 'member',
    audit: 'none',
    params: itemId,
    query: z.strictObject({ onBehalfOf: onBehalfOfQuery }),
    onBehalfOf: 'query',
    responses: { 200: z.object({ sourceItem: SourceItem.describe('The item with its text.') }) },
    handle: async ({ viewer, params }, { items }) =>
      reply(200, { sourceItem: await items.get(viewer, params.id) }),
  }),
  ...readingTwins<ItemServices>()({
    ...shared,
    operationId: 'listItemReaders',
    method: 'GET',
    path: '/source-items/{id}/readers',
    summary: 'Show who may read an item, and why',
    description:
      "The principals in the item's access policy. If the list is empty, no request on behalf of a person can read the item.",
    action: 'admin',
    consoleRole: 'admin',
    audit: 'none',
    params: itemId,
    query: z.strictObject({ onBehalfOf: onBehalfOfQuery }),
    onBehalfOf: 'query',
    responses: { 200: z.object({ readers: z.array(ItemReader).describe('At most 200 of them.') }) },
    handle: async ({ viewer, params }, { items }) =>
      reply(200, { readers: await items.readers(viewer, params.id) }),
  }),
  defineRoute<ItemServices>()({
    ...shared,
    operationId: 'consoleIngestFile',
    method: 'POST',
    path: '/v1/console/files',
    summary: 'Store the text of a file',
    description:
      `${FORMATS_IN_WORDS}, recognized by name and Content-Type. ` +
      'A file with the same name replaces the document. The text is searchable when the call returns.',
    tag: 'Ingest (console)',
    access: { surface: 'console', role: 'admin', action: 'ingest' },
    audit: 'source_item.ingest',
    bodyBytesMax: SERVICE_FILE_LIMITS.fileBytes,
    upload: `The file's bytes, at most ${SERVICE_FILE_LIMITS.fileBytes / 2 ** 20} MiB.`,
    query: z.strictObject({
      connectorId: idOf('The source to store the file in.', EXAMPLE_ID.source),
      name: fileName.meta({
        description: "The file's name, with its folders if any. It becomes the document's `externalId`.",
        example: 'handbook/vacation.docx',
      }),
      modifiedAt: Timestamp.optional().describe('When the file was last changed.'),
    }),
    refuses: ['file_unreadable', 'not_found', 'embedding_model_mismatch', 'upstream_error', 'overloaded'],
    responses: { 200: StoredFile },
    handle: async ({ caller, query, headers, rawBody, requestId, signal }, { files }) => {
      const { connectorId, name, modifiedAt } = query
      const given = {
        connectorId,
        name,
        mediaType: headers['content-type'] ?? '',
        modifiedAt: modifiedAt === undefined ? null : new Date(modifiedAt),
        bytes: rawBody,
      }
      return reply(200, await files.ingest(caller, given, requestId, signal))
    },
  }),
]
