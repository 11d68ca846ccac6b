import { z } from 'zod'
import { defineRoute, reply } from '../http/route.ts'
import { PERSON_REFUSALS, requireViewer, twins } from '../http/twins.ts'
import { EXAMPLE_ID, givenId, idOf, onBehalfOfQuery, pageCursor, textOrNull } from '../kernel/schemas.ts'
import type { ItemSyncs } from './sync-item.ts'
import type { SyncRuns } from './sync-runs.ts'
import { SkippedItems, SyncRun, SyncRunDetails } from './schemas.ts'

export interface SyncServices {
  syncRuns: SyncRuns
  itemSyncs: ItemSyncs
}

const syncRun = SyncRun.pick({
  id: true,
  connectorId: true,
  status: true,
  fullResync: true,
  createdAt: true,
}).extend({ status: SyncRun.shape.status.meta({ example: 'queued' }) })

const QueuedSyncRun = z.object({
  syncRun: syncRun.describe('The run that was queued.'),
  alreadyActive: z.literal(false).describe('The run is new.'),
})

const ActiveSyncRun = z.object({
  syncRun: syncRun.describe('The run that is already queued or running.'),
  alreadyActive: z.literal(true).describe('The run already existed.'),
})

const SyncRunList = z.object({ syncRuns: z.array(SyncRun).describe('The runs, newest first.') })

const shared = { path: '/sync-runs', tag: 'Sync runs', consoleRole: 'admin' } as const

export const syncRoutes = [
  ...twins<SyncServices>()({
    ...shared,
    operationId: 'listSyncRuns',
    method: 'GET',
    summary: 'List sync runs, newest first',
    description: 'A page holds at most `limit` runs. Pass `nextCursor` as `cursor` to get the next page.',
    action: 'sync:read',
    audit: 'none',
    query: z.strictObject({
      connectorId: givenId.optional().describe('Only runs of this source.'),
      cursor: pageCursor,
      limit: z.coerce.number().int().min(1).max(500).default(500).describe('Maximum number of runs.'),
    }),
    responses: {
      200: SyncRunList.extend({
        nextCursor: z.string().optional().describe('The cursor of the next page; absent on the last page.'),
      }),
    },
    handle: async ({ caller, query }, { syncRuns }) => reply(200, await syncRuns.list(caller, query)),
  }),
  ...twins<SyncServices>()({
    ...shared,
    operationId: 'getSyncRun',
    method: 'GET',
    path: '/sync-runs/{id}',
    summary: 'Show a sync run and the items that it could not read',
    description:
      "`failures` lists the first hundred items that could not be read; `itemsFailed` counts all of them. In the console, the number of items that a run found is the sum of `itemsIngested`, `itemsUnchanged`, `itemsDeleted` and `itemsSkipped`. An item that failed in part is stored. `waitingUntil` is set while the run waits because its provider asked it to. `needsReconnection`: the account's access has ended; connect the account again. `nextRunAt`: the source's next scheduled sync; null while the run is active or the source is paused.",
    action: 'sync:read',
    audit: 'none',
    params: z.object({ id: idOf("The run's ID, from the list.", EXAMPLE_ID.syncRun) }),
    responses: {
      200: SyncRunDetails,
    },
    handle: async ({ caller, params: { id } }, { syncRuns }) => reply(200, await syncRuns.get(caller, id)),
  }),
  ...twins<SyncServices>()({
    ...shared,
    operationId: 'createSyncRun',
    method: 'POST',
    summary: 'Queue a sync run',
    description:
      "If a run of the source is already queued or running, returns that run with 202. Replace the example's `connectorId` " +
      'with the `id` of a connected source (`GET /v1/sources`).',
    action: 'sync:write',
    audit: 'sync_run.create',
    body: z.strictObject({
      connectorId: idOf(
        'The source to sync: the `id` of a connected source, from `GET /v1/sources`.',
        EXAMPLE_ID.source,
      ),
      fullResync: z
        .boolean()
        .default(false)
        .describe("Reads every item again, not only changes. Slower, and uses more of the provider's quota."),
    }),
    refuses: ['not_found', 'source_disabled', 'source_push_only', 'not_configured'],
    responses: { 201: QueuedSyncRun, 202: ActiveSyncRun },
    handle: async ({ caller, body }, { syncRuns }) => {
      const { syncRun: run, alreadyActive } = await syncRuns.request(caller, body)
      return alreadyActive
        ? reply(202, { syncRun: run, alreadyActive })
        : reply(201, { syncRun: run, alreadyActive })
    },
  }),
  defineRoute<SyncServices>()({
    operationId: 'consoleListSkippedItems',
    method: 'GET',
    path: '/v1/console/sources/{id}/skipped-items',
    tag: 'Sync runs (console)',
    summary: 'List the items that a source could not read',
    description:
      'Items that runs could not read or store since the last full sync, with the reason, unless a later run stored them. ' +
      'Includes files without text and of unsupported types. Each run reports its first hundred items of either kind.',
    access: { surface: 'console', role: 'admin', action: 'sync:read' },
    audit: 'none',
    params: z.object({ id: idOf("The source's ID.", EXAMPLE_ID.source) }),
    responses: {
      200: SkippedItems,
    },
    handle: async ({ caller, params: { id } }, { syncRuns }) =>
      reply(200, await syncRuns.skipped(caller, id)),
  }),
  defineRoute<SyncServices>()({
    operationId: 'consoleSyncItem',
    method: 'POST',
    path: '/v1/console/items/{id}/sync',
    tag: 'Sync runs (console)',
    summary: 'Sync one item again',
    description:
      "Reads the item from its provider now, independently of the source's runs, and returns once it is stored. An item that is " +
      'no longer at the provider is deleted. Pushed and imported items cannot be synced.',
    access: { surface: 'console', role: 'admin', action: 'sync:write' },
    onBehalfOf: 'query',
    audit: 'source_item.sync',
    params: z.object({ id: idOf("The item's ID.", EXAMPLE_ID.sourceItem) }),
    query: z.strictObject({ onBehalfOf: onBehalfOfQuery }),
    refuses: [
      ...PERSON_REFUSALS,
      'not_found',
      'item_not_synced',
      'source_disabled',
      'not_configured',
      'upstream_error',
    ],
    responses: {
      200: z.object({
        outcome: z.enum(['updated', 'unchanged', 'deleted', 'failed']).meta({
          description: 'The outcome. An item that `failed` keeps its stored content.',
          example: 'updated',
        }),
        reason: textOrNull("What could not be read, in the provider's words.", null),
      }),
    },
    handle: async ({ viewer, params, signal }, { itemSyncs }) =>
      reply(200, await itemSyncs.sync(requireViewer(viewer), params.id, signal)),
  }),
]
