import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { type Api, unwrap } from '../../api/client.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { usePages } from '../../ui/use-pages.ts'
import { isActive, type Source, type SyncRun } from './source-words.ts'
import { useRefreshStored } from './use-sources.ts'

/** Half of what a person may ask for in a minute is left to all else. */
const POLL_MS = 2_000
/** Runs of a source that are read at one time. */
const PAGE = 25
/** Runs that are followed at one time; of more the list tells when it is read anew. */
const FOLLOWED_MAX = 8

/** The newest runs of all sources, the newest first. Of admins. */
export function useSyncRuns() {
  const { api, organization, isAdmin } = useWorkspace()
  return useQuery({
    queryKey: [organization.id, 'sync-runs'],
    queryFn: async ({ signal }) => (await unwrap(api.GET('/v1/console/sync-runs', { signal }))).syncRuns,
    enabled: isAdmin,
  })
}

/** One run with what it could not read; read again each second while it is active, and not otherwise. */
export function useSyncRun(id: string | undefined) {
  const { api, organization } = useWorkspace()
  return useQuery({ ...readRun(api, organization.id, id ?? ''), enabled: id !== undefined })
}

/**
 * The runs, those that are active as they are now. While one is, what it stores is read anew as well, so that a page shows it
 * without being reloaded; once all have ended nothing is asked any more.
 */
export function useLiveRuns() {
  const runs = useSyncRuns()
  const { asNow } = useFollowed(runs.data ?? [])
  return { ...runs, data: runs.data?.map(asNow) }
}

/** The runs of a source page by page, the newest first and down to its first; one that is active is as it is now. */
export function useRunsOf(connectorId: string) {
  const { api, organization } = useWorkspace()
  const pages = usePages<SyncRun>({
    queryKey: [organization.id, 'sync-runs', connectorId],
    read: async (cursor, signal) => {
      const query = { connectorId, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) }
      const page = await unwrap(api.GET('/v1/console/sync-runs', { params: { query }, signal }))
      return { rows: page.syncRuns, nextCursor: page.nextCursor ?? null }
    },
  })
  const { asNow, waitingUntil } = useFollowed(pages.rows)
  return { ...pages, rows: pages.rows.map(asNow), waitingUntil }
}

/** Asks for the active ones of these runs as they go on. */
function useFollowed(runs: readonly SyncRun[]) {
  const { api, organization } = useWorkspace()
  const followed = runs.filter(isActive).slice(0, FOLLOWED_MAX)
  const now = useQueries({ queries: followed.map(({ id }) => readRun(api, organization.id, id)) })
  const live = now.flatMap(({ data }) => data ?? [])
  useRefreshWithRuns(live.map(({ syncRun }) => syncRun))
  const byId = new Map(live.map((details) => [details.syncRun.id, details]))
  return {
    asNow: (run: SyncRun): SyncRun => byId.get(run.id)?.syncRun ?? run,
    /** Until when an active run waits, because its provider asked for that. */
    waitingUntil: (runId: string) => byId.get(runId)?.waitingUntil ?? null,
  }
}

function readRun(api: Api, organizationId: string, id: string) {
  return {
    queryKey: [organizationId, 'sync-run', id],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      unwrap(api.GET('/v1/console/sync-runs/{id}', { params: { path: { id } }, signal })),
    staleTime: 0,
    refetchInterval: ({ state }: { state: { data: { syncRun: SyncRun } | undefined } }) =>
      state.data !== undefined && !isActive(state.data.syncRun) ? (false as const) : POLL_MS,
  }
}

function useRefreshWithRuns(live: readonly SyncRun[]): void {
  const { organization } = useWorkspace()
  const queries = useQueryClient()
  const refresh = useRefreshStored()
  const state = live
    .map(({ id, status, itemsIngested, itemsDeleted }) => `${id} ${status} ${itemsIngested} ${itemsDeleted}`)
    .join()
  const hasEnded = live.some((run) => !isActive(run))
  const before = useRef('')
  useEffect(() => {
    const isStill = state === before.current
    before.current = state
    // The list can tell that a run has ended before the run itself is read again.
    if (isStill) return
    void refresh()
    if (hasEnded) void queries.invalidateQueries({ queryKey: [organization.id, 'sync-runs'] })
  }, [state, hasEnded, refresh, queries, organization.id])
}

/**
 * Reads a source anew, once per run, if it was read before its newest run ended: only runs that are active when they
 * are read are followed.
 */
export function useReadAfterRun(source: Source, run: SyncRun | undefined): void {
  const refresh = useRefreshStored()
  const asked = useRef<string | null>(null)
  const ended = run !== undefined && isBehind(source, run) ? run.id : null
  useEffect(() => {
    if (ended === null || ended === asked.current) return
    asked.current = ended
    void refresh()
  }, [ended, refresh])
}

function isBehind({ status, lastSyncedAt }: Source, run: SyncRun): boolean {
  if (run.status === 'failed') return status === 'pending' || status === 'active'
  if (run.status !== 'succeeded' || run.finishedAt === null) return false
  return lastSyncedAt === null || lastSyncedAt < run.finishedAt
}
