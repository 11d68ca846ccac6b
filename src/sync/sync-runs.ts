import type { SkippedItems, SyncRun, SyncRunDetails, SyncRunFailure } from './schemas.ts'
import { recordEvent } from '../audit/index.ts'
import type { Db, Tx } from '../database/database.ts'
import { transact } from '../database/retry-conflicts.ts'
import { type PageQuery, readPage } from '../database/list-page.ts'
import type { Row } from '../database/schema.ts'
import type { Clock } from '../kernel/clock.ts'
import { AppError } from '../kernel/errors.ts'
import type { Caller } from '../kernel/caller.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import { providersOf } from '../providers/index.ts'
import { isNotRemoved } from '../sources/index.ts'
import { listSkipped } from './list-skipped.ts'
import { queueRun } from './queue-runs.ts'
import { requireRunnable } from './require-runnable.ts'

export interface RunQuery extends PageQuery {
  connectorId?: string | undefined
}

export interface RunPage {
  syncRuns: SyncRun[]
  /** Absent on the last page. */
  nextCursor?: string
}

export interface SyncRuns {
  /** Runs of the caller's providers, or of one source, newest first. @throws AppError `validation_failed` */
  list(caller: Caller, query: RunQuery): Promise<RunPage>
  /** One run with its first hundred failed and first hundred left out items. @throws AppError `not_found` */
  get(caller: Caller, id: string): Promise<SyncRunDetails>
  /** The items that a source's runs could not read. @throws AppError `not_found` */
  skipped(caller: Caller, sourceId: string): Promise<SkippedItems>
  /** Queues a run, or returns the active one. @throws AppError */
  request(
    caller: Caller,
    run: { connectorId: string; fullResync: boolean },
  ): Promise<{ syncRun: SyncRun; alreadyActive: boolean }>
}

/** The sync runs of an organization. A unique index ensures that a source has at most one active run. */
export function createSyncRuns(deps: {
  db: Db
  clock: Clock
  /** @throws `not_configured` for a provider that this deployment does not offer */
  requireOffered: (provider: ProviderId) => void
  /** Called when a run is ready for a worker. */
  onQueued: () => void
}): SyncRuns {
  const { db, clock } = deps
  return {
    list: (caller, query) => pageRuns(db, caller, query),
    async get(caller, id) {
      const row = await selectRuns(db, caller)
        .select(['sources.next_poll_at', 'sources.status as source_status'])
        .where('sync_runs.id', '=', id)
        .executeTakeFirst()
      if (!row) throw new AppError('not_found', 'There is no such sync run')
      const left = await db
        .selectFrom('sync_run_failures')
        .select(['external_id as externalId', 'title', 'message', 'code', 'is_skip as isSkip'])
        .where('organization_id', '=', caller.organizationId)
        .where('run_id', '=', id)
        .orderBy('external_id')
        .execute()
      const thatAre = (wanted: boolean): SyncRunFailure[] =>
        left.flatMap(({ isSkip, ...failure }) => (isSkip === wanted ? [failure] : []))
      return {
        syncRun: viewFor(caller)(row),
        errorCode: row.error_code,
        itemsFailed: row.items_failed,
        failures: thatAre(false),
        skipped: thatAre(true),
        ...nextStepsOf(row),
      }
    },
    skipped: (caller, sourceId) => listSkipped(db, caller, sourceId),
    async request(caller, { connectorId, fullResync }) {
      const requested = await transact(db, async (tx) => {
        const provider = await requireRunnable(tx, caller, connectorId)
        deps.requireOffered(provider)
        const at = clock.now()
        const created = await queueRun(tx, {
          organizationId: caller.organizationId,
          sourceId: connectorId,
          fullResync,
          at,
        })
        if (!created)
          return {
            syncRun: toView(await activeRun(tx, caller.organizationId, connectorId)),
            alreadyActive: true,
          }
        await recordEvent(tx, caller, {
          action: 'sync_run.create',
          target: ['sync_run', created.id],
          metadata: { connectorId, fullResync },
          providers: [provider],
          at,
        })
        return { syncRun: toView(created), alreadyActive: false }
      })
      if (!requested.alreadyActive) deps.onQueued()
      return requested
    },
  }
}

async function pageRuns(db: Db, caller: Caller, { connectorId, ...query }: RunQuery): Promise<RunPage> {
  let runs = selectRuns(db, caller)
  if (connectorId !== undefined) runs = runs.where('sync_runs.source_id', '=', connectorId)
  const list = ['sync-runs', caller.organizationId, connectorId]
  const newest = { at: 'sync_runs.created_at', id: 'sync_runs.id' }
  const { page, nextCursor } = await readPage(runs, list, newest, query)
  return { syncRuns: page.map(viewFor(caller)), ...(nextCursor === null ? {} : { nextCursor }) }
}

/** When a waiting run continues, and what its source needs or does next. */
function nextStepsOf(
  row: Row<'sync_runs'> & { next_poll_at: Date | null; source_status: Row<'sources'>['status'] },
): { waitingUntil: string | null; needsReconnection: boolean; nextRunAt: string | null } {
  const isOver = row.finished_at !== null
  return {
    waitingUntil: isOver ? null : (row.not_before?.toISOString() ?? null),
    needsReconnection: row.needs_reconnection,
    nextRunAt: isOver && row.source_status !== 'disabled' ? (row.next_poll_at?.toISOString() ?? null) : null,
  }
}

function selectRuns(db: Db, caller: Caller) {
  return db
    .selectFrom('sync_runs')
    .innerJoin('sources', (join) =>
      join
        .onRef('sources.organization_id', '=', 'sync_runs.organization_id')
        .onRef('sources.id', '=', 'sync_runs.source_id'),
    )
    .selectAll('sync_runs')
    .where('sync_runs.organization_id', '=', caller.organizationId)
    .where(isNotRemoved())
    .where('sources.provider', 'in', providersOf(caller))
}

async function activeRun(tx: Tx, organizationId: string, sourceId: string): Promise<Row<'sync_runs'>> {
  return await tx
    .selectFrom('sync_runs')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('source_id', '=', sourceId)
    .where('status', 'in', ['queued', 'running'])
    .executeTakeFirstOrThrow()
}

function viewFor(caller: Caller): (row: Row<'sync_runs'>) => SyncRun {
  if (caller.kind === 'agent') return toView
  return (row) => ({ ...toView(row), itemsUnchanged: row.items_unchanged, itemsSkipped: row.items_skipped })
}

function toView(row: Row<'sync_runs'>): SyncRun {
  return {
    id: row.id,
    connectorId: row.source_id,
    status: row.status,
    fullResync: row.full_resync,
    startedAt: row.started_at?.toISOString() ?? null,
    finishedAt: row.finished_at?.toISOString() ?? null,
    itemsDiscovered: row.items_discovered,
    itemsIngested: row.items_ingested,
    itemsDeleted: row.items_deleted,
    errorMessage: row.error_message,
    createdAt: row.created_at.toISOString(),
  }
}
