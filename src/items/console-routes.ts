import { z } from 'zod'
import { AppError } from '../kernel/errors.ts'
import { count, distinct, EXAMPLE_ID, idOf, onBehalfOfQuery, shownId, textOrNull } from '../kernel/schemas.ts'
import { hasRole } from '../kernel/roles.ts'
import { defineRoute, reply } from '../http/route.ts'
import { PERSON_REFUSALS, requireViewer } from '../http/twins.ts'
import { COUNTED_MAX } from './filter-items.ts'
import { DELETED_AT_ONCE_MAX } from './delete-several.ts'
import type { ItemServices } from './routes.ts'
import { BrowseQuery, BrowsedItem, ItemChunk } from './console-schemas.ts'

const shared = {
  tag: 'Ingest (console)',
  credits: 0,
  onBehalfOf: 'query',
  refuses: PERSON_REFUSALS,
} as const

export const consoleItemRoutes = [
  defineRoute<ItemServices>()({
    ...shared,
    operationId: 'consoleBrowseItems',
    method: 'GET',
    path: '/v1/console/items',
    summary: 'Search and filter stored items',
    description:
      'The items that you may read, latest content change first; `by` and `order` change that. With `q`, a page reads about 1,000 texts: it can have ' +
      'fewer items than `limit`, or none. Continue until `nextCursor` is null.',
    access: { surface: 'console', role: 'member', action: 'search' },
    audit: 'none',
    query: BrowseQuery,
    responses: {
      200: z.object({
        items: z.array(BrowsedItem).describe('The items of this page, without their texts.'),
        nextCursor: textOrNull('The cursor of the next page; null on the last one.'),
        total: z
          .int()
          .min(0)
          .nullable()
          .meta({
            description: `All items that match, counted up to ${COUNTED_MAX.toLocaleString('en')}; null with \`q\` and on later pages.`,
            example: 128,
          }),
      }),
    },
    handle: async ({ viewer, caller, query }, { items }) => {
      if (query.access !== undefined && !hasRole(caller.role, 'admin'))
        throw new AppError('role_required', 'Only owners and admins of the workspace filter by access')
      return reply(200, await items.browse(requireViewer(viewer), query))
    },
  }),
  defineRoute<ItemServices>()({
    ...shared,
    operationId: 'consoleDeleteItems',
    method: 'POST',
    path: '/v1/console/items/delete',
    summary: 'Delete several items with their chunks and vectors',
    description:
      'In one transaction, with an audit event for each deleted item. Items that are missing, or that you may not read, are ' +
      'returned as `notFound` and do not stop the others.',
    access: { surface: 'console', role: 'admin', action: 'ingest' },
    audit: 'source_item.delete',
    query: z.strictObject({ onBehalfOf: onBehalfOfQuery }),
    body: z.strictObject({
      ids: distinct(idOf('An item.', EXAMPLE_ID.sourceItem)).describe(
        `The items, at most ${DELETED_AT_ONCE_MAX}.`,
      ),
    }),
    responses: {
      200: z.object({
        deleted: z.array(shownId('A deleted item.', EXAMPLE_ID.sourceItem)).describe('The deleted items.'),
        notFound: z
          .array(shownId('An item that was not found.', EXAMPLE_ID.sourceItem))
          .describe('The items that were not found.'),
      }),
    },
    handle: async ({ viewer, body }, { items }) =>
      reply(200, await items.removeSeveral(requireViewer(viewer), body.ids)),
  }),
  defineRoute<ItemServices>()({
    ...shared,
    operationId: 'consoleListItemChunks',
    method: 'GET',
    path: '/v1/console/items/{id}/chunks',
    summary: 'List the chunks of an item',
    description: 'In reading order. Continue with `nextAfter` until it is null.',
    access: { surface: 'console', role: 'member', action: 'search' },
    audit: 'none',
    params: z.object({ id: idOf("The item's id.", EXAMPLE_ID.sourceItem) }),
    query: z.strictObject({
      after: z.coerce
        .number()
        .int()
        .min(0)
        .max(2 ** 31 - 1)
        .optional()
        .describe('The `nextAfter` of the previous page. Omit it for the first page.'),
      limit: z.coerce.number().int().min(1).max(200).default(50).describe('The most chunks on a page.'),
      onBehalfOf: onBehalfOfQuery,
    }),
    responses: {
      200: z.object({
        chunks: z.array(ItemChunk).describe('The chunks of this page.'),
        total: count('All chunks of the item.', 3),
        nextAfter: z
          .int()
          .nullable()
          .meta({ description: 'The cursor of the next page; null on the last one.', example: null }),
      }),
    },
    handle: async ({ viewer, params, query }, { items }) =>
      reply(200, await items.chunks(requireViewer(viewer), params.id, query)),
  }),
]
