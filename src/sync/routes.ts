import { z } from 'zod'
import { reply } from '../http/route.ts'
import { twins } from '../http/twins.ts'
import { givenId } from '../kernel/schemas.ts'
import type { SyncRuns } from './sync-runs.ts'

export interface SyncServices {
  syncRuns: SyncRuns
}

const SyncRun = z
  .object({
    id: z.uuid(),
    connectorId: z.uuid(),
    status: z.enum(['queued', 'running', 'succeeded', 'failed']),
    fullResync: z.boolean(),
    startedAt: z.iso.datetime().nullable(),
    finishedAt: z.iso.datetime().nullable(),
    itemsDiscovered: z.int(),
    itemsIngested: z.int(),
    itemsDeleted: z.int(),
    errorMessage: z.string().nullable(),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'SyncRun' })

const SyncRunFailure = z
  .object({ externalId: z.string(), message: z.string() })
  .meta({ id: 'SyncRunFailure' })

const RequestedSyncRun = z.object({
  syncRun: SyncRun.pick({ id: true, connectorId: true, status: true, fullResync: true, createdAt: true }),
  alreadyActive: z.boolean(),
})

const shared = { path: '/sync-runs', tag: 'Sync runs', consoleRole: 'admin', credits: 0 } as const

export const syncRoutes = [
  ...twins<SyncServices>()({
    ...shared,
    operationId: 'listSyncRuns',
    method: 'GET',
    summary: 'List sync runs, newest first',
    action: 'sync:read',
    audit: 'none',
    responses: { 200: z.object({ syncRuns: z.array(SyncRun) }) },
    handle: async ({ principal }, { syncRuns }) => reply(200, { syncRuns: await syncRuns.list(principal) }),
  }),
  ...twins<SyncServices>()({
    ...shared,
    operationId: 'getSyncRun',
    method: 'GET',
    path: '/sync-runs/{id}',
    summary: 'Show a sync run and the items it could not read',
    description:
      '`failures` lists the first hundred; `itemsFailed` counts all. `waitingUntil` is set while the run waits because its provider asked for that.',
    action: 'sync:read',
    audit: 'none',
    params: z.object({ id: givenId }),
    responses: {
      200: z.object({
        syncRun: SyncRun,
        itemsFailed: z.int(),
        failures: z.array(SyncRunFailure),
        waitingUntil: z.iso.datetime().nullable(),
      }),
    },
    handle: async ({ principal, params: { id } }, { syncRuns }) =>
      reply(200, await syncRuns.get(principal, id)),
  }),
  ...twins<SyncServices>()({
    ...shared,
    operationId: 'createSyncRun',
    method: 'POST',
    summary: 'Queue a sync run',
    description: 'While a run is queued or running for the source, that one is returned with 202.',
    action: 'sync:write',
    audit: 'sync_run.create',
    body: z.strictObject({ connectorId: givenId, fullResync: z.boolean().default(false) }),
    refuses: ['not_found', 'source_disabled', 'source_push_only', 'not_configured'],
    responses: { 201: RequestedSyncRun, 202: RequestedSyncRun },
    handle: async ({ principal, body }, { syncRuns }) => {
      const requested = await syncRuns.request(principal, body)
      return requested.alreadyActive ? reply(202, requested) : reply(201, requested)
    },
  }),
]
