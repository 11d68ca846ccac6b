import { z } from 'zod'
import { AppError } from '../kernel/errors.ts'
import { distinct, EXAMPLE_ID, idOf, onBehalfOfQuery } from '../kernel/schemas.ts'
import { hasRole } from '../kernel/roles.ts'
import { defineRoute, reply } from '../http/route.ts'
import { PERSON_REFUSALS, requireViewer } from '../http/twins.ts'
import { DELETED_AT_ONCE_MAX } from './delete-items.ts'
import type { ItemServices } from './routes.ts'
import { BrowsePage, BrowseQuery, ChunkPage, ChunkQuery, DeletedSeveral } from './console-schemas.ts'

const shared = {
  tag: 'Ingest (console)',
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
      'The items that you may read, latest content change first unless `by` or `order` says otherwise. With `q`, each page ' +
      'searches about 1,000 texts, so it can have fewer items than `limit`, or none. Continue until `nextCursor` is null.',
    access: { surface: 'console', role: 'member', action: 'search' },
    audit: 'none',
    query: BrowseQuery,
    responses: { 200: BrowsePage },
    handle: async ({ viewer, caller, query }, { items }) => {
      if (query.access !== undefined && !hasRole(caller.role, 'admin'))
        throw new AppError('role_required', 'Only owners and admins of the workspace can filter by access')
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
      'returned as `notFound`; the others are still deleted.',
    access: { surface: 'console', role: 'admin', action: 'ingest' },
    audit: 'source_item.delete',
    query: z.strictObject({ onBehalfOf: onBehalfOfQuery }),
    body: z.strictObject({
      ids: distinct(idOf("An item's ID.", EXAMPLE_ID.sourceItem)).describe(
        `The items, at most ${DELETED_AT_ONCE_MAX}.`,
      ),
    }),
    responses: { 200: DeletedSeveral },
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
    params: z.object({ id: idOf("The item's ID.", EXAMPLE_ID.sourceItem) }),
    query: ChunkQuery,
    responses: { 200: ChunkPage },
    handle: async ({ viewer, params, query }, { items }) =>
      reply(200, await items.chunks(requireViewer(viewer), params.id, query)),
  }),
]
