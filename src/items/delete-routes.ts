import { z } from 'zod'
import { defineRoute, reply } from '../http/route.ts'
import { PERSON_REFUSALS, requireViewer } from '../http/twins.ts'
import { EXAMPLE_ID, idOf, onBehalfOfQuery } from '../kernel/schemas.ts'
import { providerOf } from '../providers/index.ts'
import { ExternalId } from './ingest-request.ts'
import { DeletedSourceItem } from './schemas.ts'
import type { ItemServices } from './routes.ts'

const shared = {
  method: 'DELETE',
  audit: 'source_item.delete',
  refuses: ['not_found'],
  responses: { 200: DeletedSourceItem },
} as const
const asAgent = { tag: 'Ingest', access: { surface: 'agent', action: 'ingest' } } as const
/** People delete only what they may read. A key with `ingest` can delete any item in its scope. */
const asAdmin = {
  tag: 'Ingest (console)',
  access: { surface: 'console', role: 'admin', action: 'ingest' },
  onBehalfOf: 'query',
  refuses: [...shared.refuses, ...PERSON_REFUSALS],
} as const

const byId = {
  ...shared,
  summary: 'Delete a source item with its chunks and vectors',
  params: z.object({
    id: idOf("The item's ID: `sourceItemId` of a hit, or `id` in the list.", EXAMPLE_ID.sourceItem),
  }),
} as const
const byName = { ...shared, summary: 'Delete a source item by its provider and external ID' } as const
const nameFields = {
  provider: providerOf("The item's provider."),
  externalId: ExternalId,
}

export const deleteRoutes = [
  defineRoute<ItemServices>()({
    ...byId,
    ...asAgent,
    operationId: 'deleteSourceItem',
    path: '/v1/source-items/{id}',
    handle: async ({ caller, params }, { items }) =>
      reply(200, await items.remove(caller, { id: params.id })),
  }),
  defineRoute<ItemServices>()({
    ...byId,
    ...asAdmin,
    operationId: 'consoleDeleteSourceItem',
    path: '/v1/console/source-items/{id}',
    query: z.strictObject({ onBehalfOf: onBehalfOfQuery }),
    handle: async ({ caller, viewer, params }, { items }) =>
      reply(200, await items.remove(caller, { id: params.id }, requireViewer(viewer).readable)),
  }),
  defineRoute<ItemServices>()({
    ...byName,
    ...asAgent,
    operationId: 'deleteSourceItemByExternalId',
    path: '/v1/source-items',
    query: z.strictObject(nameFields),
    handle: async ({ caller, query }, { items }) => reply(200, await items.remove(caller, query)),
  }),
  defineRoute<ItemServices>()({
    ...byName,
    ...asAdmin,
    operationId: 'consoleDeleteSourceItemByExternalId',
    path: '/v1/console/source-items',
    query: z.strictObject({ ...nameFields, onBehalfOf: onBehalfOfQuery }),
    handle: async ({ caller, viewer, query: { provider, externalId } }, { items }) =>
      reply(200, await items.remove(caller, { provider, externalId }, requireViewer(viewer).readable)),
  }),
]
