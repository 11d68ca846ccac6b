import { z } from 'zod'
import { defineRoute, reply } from '../http/route.ts'
import { PERSON_REFUSALS, requireViewer, twins } from '../http/twins.ts'
import {
  count,
  EXAMPLE_ID,
  givenId,
  idOf,
  moment,
  momentOrNull,
  onBehalfOfQuery,
  shownId,
  text,
  textOrNull,
} from '../kernel/schemas.ts'
import { FAILURE_CODES, ITEM_FAILURE_CODES } from '../kernel/failure-codes.ts'
import type { ItemSyncs } from './sync-item.ts'
import type { SyncRuns } from './sync-runs.ts'

export interface SyncServices {
  syncRuns: SyncRuns
  itemSyncs: ItemSyncs
}

const SyncRun = z
  .object({
    id: shownId("The run's id.", EXAMPLE_ID.syncRun),
    connectorId: shownId('The source that it syncs.', EXAMPLE_ID.source),
    status: z
      .enum(['queued', 'running', 'succeeded', 'failed'])
      .meta({ description: 'How far it is.', example: 'succeeded' }),
    fullResync: z
      .boolean()
      .meta({ description: 'Whether it reads everything again, not only changes.', example: false }),
    startedAt: momentOrNull('When a worker took it up.'),
    finishedAt: momentOrNull('When it ended.', '2026-03-02T09:31:12.000Z'),
    itemsDiscovered: count('Items that the provider returned.', 69),
    itemsIngested: count('Items that were new or had changed, and were stored.', 55),
    itemsDeleted: count('Items that were removed.', 3),
    itemsUnchanged: count(
      'Items that were stored with the same content. Only for people in the console.',
      10,
    ).optional(),
    itemsSkipped: count(
      'Items that could not be read, or hold nothing to read, and were not removed. Only for people in the console.',
      4,
    ).optional(),
    errorMessage: textOrNull("Why it failed, in the provider's words."),
    createdAt: moment('When it was asked for.', '2026-03-02T09:29:58.000Z'),
  })
  .meta({ id: 'SyncRun', description: 'One reading of a source.' })

const SyncRunFailure = z
  .object({
    externalId: text("The item's id at the provider.", 'F0123456789'),
    title: textOrNull('Its name, where it is known.', 'Price list.pdf'),
    message: text('Why it could not be read.', 'It cannot be stored: the text is too long'),
    code: z.enum(ITEM_FAILURE_CODES).nullable().meta({
      description:
        "`service_failed`: processing failed; the service's log has the cause. `not_storable`: over a limit, or rejected by the embedding model. null: see `message`.",
      example: 'not_storable',
    }),
  })
  .meta({ id: 'SyncRunFailure', description: 'An item that a run did not read.' })

const SkippedItem = z
  .object({
    externalId: text("The item's id at the provider.", 'F0123456789'),
    title: textOrNull('Its name, where it is known.', 'Price list.pdf'),
    reason: text('Why it could not be read.', 'The file is larger than 25 MiB and is not read'),
    isStored: z.boolean().meta({
      description:
        'Whether an older version, or the item without the part that could not be read, is stored.',
      example: false,
    }),
    at: moment('When it could not be read.'),
  })
  .meta({ id: 'SkippedItem', description: 'An item that a source could not read.' })

const syncRun = SyncRun.pick({
  id: true,
  connectorId: true,
  status: true,
  fullResync: true,
  createdAt: true,
}).extend({ status: SyncRun.shape.status.meta({ example: 'queued' }) })
const QueuedSyncRun = z.object({
  syncRun: syncRun.describe('The run that was queued.'),
  alreadyActive: z.literal(false).describe('It is a new one.'),
})
const ActiveSyncRun = z.object({
  syncRun: syncRun.describe('The run that is queued or running already.'),
  alreadyActive: z.literal(true).describe('It was there before.'),
})

const SyncRunList = z.object({ syncRuns: z.array(SyncRun).describe('The runs, the newest first.') })

/** Several times as long as any of our cursors. */
const CURSOR_CHARACTERS_MAX = 1_000

const shared = { path: '/sync-runs', tag: 'Sync runs', consoleRole: 'admin', credits: 0 } as const

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
      cursor: z
        .string()
        .max(CURSOR_CHARACTERS_MAX)
        .optional()
        .describe('`nextCursor` of the previous page; omit it for the first page.'),
      limit: z.coerce.number().int().min(1).max(500).default(500).describe('The most runs in a page.'),
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
    summary: 'Show a sync run and the items it could not read',
    description:
      "`failures` lists the first hundred; `itemsFailed` counts all. In the console, what a run found is the sum of `itemsIngested`, `itemsUnchanged`, `itemsDeleted` and `itemsSkipped`. An item that failed in part is stored. `waitingUntil` is set while the run waits for a time that its provider set. `needsReconnection`: the account's access has ended; connect it again. `nextRunAt`: the source's next scheduled sync; null while the run is active or the source is paused.",
    action: 'sync:read',
    audit: 'none',
    params: z.object({ id: idOf("The run's id, from the list.", EXAMPLE_ID.syncRun) }),
    responses: {
      200: z.object({
        syncRun: SyncRun,
        errorCode: z
          .enum(FAILURE_CODES)
          .nullable()
          .meta({ description: 'Why it failed; null: see `errorMessage`.', example: null }),
        itemsFailed: count('Items that it could not read.', 1),
        failures: z.array(SyncRunFailure).describe('The first hundred of them.'),
        skipped: z
          .array(SyncRunFailure)
          .describe(
            'The first hundred items that hold nothing to read, such as files of types that are not read.',
          ),
        waitingUntil: momentOrNull('The time until which its provider asked it to wait.', null),
        needsReconnection: z.boolean().meta({
          description: "It failed because the account's access has ended; connect it again.",
          example: false,
        }),
        nextRunAt: momentOrNull(
          "The source's next scheduled sync; null while the run is active or the source is paused.",
        ),
      }),
    },
    handle: async ({ caller, params: { id } }, { syncRuns }) => reply(200, await syncRuns.get(caller, id)),
  }),
  ...twins<SyncServices>()({
    ...shared,
    operationId: 'createSyncRun',
    method: 'POST',
    summary: 'Queue a sync run',
    description:
      'While a run is queued or running for the source, that one is returned with 202. Put the `id` of a connected source ' +
      "(`GET /v1/sources`) in place of the example's `connectorId`.",
    action: 'sync:write',
    audit: 'sync_run.create',
    body: z.strictObject({
      connectorId: idOf(
        'The source to sync: the `id` of a connected one, from `GET /v1/sources`.',
        EXAMPLE_ID.source,
      ),
      fullResync: z
        .boolean()
        .default(false)
        .describe('Read every item again, not only what changed; slower, and uses more of the quota there.'),
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
    credits: 0,
    summary: 'List the items that a source could not read',
    description:
      'Items that its runs could not read or store since its last full sync, and have not stored since, with the reason; ' +
      'also files without text and of types that are not read. Each run reports its first hundred of both.',
    access: { surface: 'console', role: 'admin', action: 'sync:read' },
    audit: 'none',
    params: z.object({ id: idOf("The source's id.", EXAMPLE_ID.source) }),
    responses: {
      200: z.object({
        skippedItems: z.array(SkippedItem).describe('The latest 200 of them.'),
        isCapped: z.boolean().meta({ description: 'Whether there are more.', example: false }),
      }),
    },
    handle: async ({ caller, params: { id } }, { syncRuns }) =>
      reply(200, await syncRuns.skipped(caller, id)),
  }),
  defineRoute<SyncServices>()({
    operationId: 'consoleSyncItem',
    method: 'POST',
    path: '/v1/console/items/{id}/sync',
    tag: 'Sync runs (console)',
    credits: 0,
    summary: 'Sync one item again',
    description:
      'Reads the item at its provider now, beside the runs of its source, and answers once it is stored. An item that is ' +
      'gone there is deleted. Items that were pushed or imported have nowhere to be read.',
    access: { surface: 'console', role: 'admin', action: 'sync:write' },
    onBehalfOf: 'query',
    audit: 'source_item.sync',
    params: z.object({ id: idOf("The item's id.", EXAMPLE_ID.sourceItem) }),
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
          description: 'What came of it. An item that `failed` stays as it was stored.',
          example: 'updated',
        }),
        reason: textOrNull('What could not be read, in the words of its provider.', null),
      }),
    },
    handle: async ({ viewer, params, signal }, { itemSyncs }) =>
      reply(200, await itemSyncs.sync(requireViewer(viewer), params.id, signal)),
  }),
]
