import { useMutation, useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { type Api, unwrap } from '../../api/client.ts'
import type { ApiError } from '../../api/errors.ts'
import { useRead, useReadPages } from '../../data/use-api.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { isActive, type Source, type SyncRun } from './source-words.ts'
import { useRefreshStored, useSources } from './use-sources.ts'

/** The interval of all polls together: half of the default rate limit of 60 requests per minute. */
const POLL_MS = 2_000
/** Runs per page of a source's history. */
const PAGE = 25
/** The maximum number of runs to poll. The others change when the list is refetched. */
const FOLLOWED_MAX = 8

/** The newest runs of all sources, newest first. Admins only. */
export function useSyncRuns() {
  const { isAdmin } = useWorkspace()
  return useRead(
    ['sync-runs'],
    async (api, signal) => (await unwrap(api.GET('/v1/console/sync-runs', { signal }))).syncRuns,
    { enabled: isAdmin },
  )
}

/** One run with the items that it could not read. Polls while the run is active. */
export function useSyncRun(id: string | undefined) {
  const { api, organization } = useWorkspace()
  return useQuery({ ...readRun(api, organization.id, id ?? ''), enabled: id !== undefined })
}

/** The runs, polled while active. Their progress also refreshes the stored items. */
export function useLiveRuns() {
  const runs = useSyncRuns()
  const { asNow } = useFollowed(runs.data ?? [])
  const now = runs.data?.map(asNow)
  useReadAfterRuns(useSources().data ?? [], now ?? [])
  return { ...runs, data: now }
}

/** All runs of a source in pages, newest first. Active ones are polled. */
export function useRunsOf(connectorId: string) {
  const pages = useReadPages<SyncRun>(['sync-runs', connectorId], async (api, given, signal) => {
    const query = { connectorId, limit: PAGE, ...given }
    const page = await unwrap(api.GET('/v1/console/sync-runs', { params: { query }, signal }))
    return { rows: page.syncRuns, nextCursor: page.nextCursor ?? null }
  })
  const { asNow, waitingUntil } = useFollowed(pages.rows)
  return { ...pages, rows: pages.rows.map(asNow), waitingUntil }
}

/** Starts a run of a source, or a full sync with `fullResync`. A run that is already active also counts. */
export function useStartRun(connectorId: string) {
  const { api, organization } = useWorkspace()
  const queries = useQueryClient()
  return useMutation<void, ApiError, { fullResync: boolean }>({
    mutationFn: async ({ fullResync }) => {
      await unwrap(api.POST('/v1/console/sync-runs', { body: { connectorId, fullResync } }))
    },
    onSettled: () => queries.invalidateQueries({ queryKey: [organization.id, 'sync-runs'] }),
  })
}

/** Polls the active runs of a list. */
function useFollowed(runs: readonly SyncRun[]) {
  const { api, organization } = useWorkspace()
  const followed = runs.filter(isActive).slice(0, FOLLOWED_MAX)
  const now = useQueries({
    queries: followed.map(({ id }) => readRun(api, organization.id, id, followed.length)),
  })
  const live = now.flatMap(({ data }) => data ?? [])
  useRefreshWithRuns(live.map(({ syncRun }) => syncRun))
  const byId = new Map(live.map((details) => [details.syncRun.id, details]))
  return {
    asNow: (run: SyncRun): SyncRun => byId.get(run.id)?.syncRun ?? run,
    /** When an active run resumes, if its provider asked it to wait. */
    waitingUntil: (runId: string) => byId.get(runId)?.waitingUntil ?? null,
  }
}

/** @param polled how many runs are polled at the same time */
function readRun(api: Api, organizationId: string, id: string, polled = 1) {
  return {
    queryKey: [organizationId, 'sync-run', id],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      unwrap(api.GET('/v1/console/sync-runs/{id}', { params: { path: { id } }, signal })),
    staleTime: 0,
    refetchInterval: ({ state }: { state: { data: { syncRun: SyncRun } | undefined } }) =>
      state.data !== undefined && !isActive(state.data.syncRun) ? (false as const) : POLL_MS * polled,
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
    // If the list reports the end of a run before its poll does, `state` becomes empty, which also counts as a change.
    if (isStill) return
    void refresh()
    if (hasEnded) void queries.invalidateQueries({ queryKey: [organization.id, 'sync-runs'] })
  }, [state, hasEnded, refresh, queries, organization.id])
}

/**
 * Refetches the sources whose data is older than the end of their newest run. Polling does not cover that: it follows
 * only runs that were active when the list loaded.
 *
 * @param runs newest first
 */
export function useReadAfterRuns(sources: readonly Source[], runs: readonly SyncRun[]): void {
  const refresh = useRefreshStored()
  const asked = useRef('')
  const ended = sources
    .map((source) => ({ source, run: runs.find(({ connectorId }) => connectorId === source.id) }))
    .flatMap(({ source, run }) => (run !== undefined && isBehind(source, run) ? run.id : []))
    .join()
  useEffect(() => {
    // Once per run: a source that stays behind is not asked for again.
    if (ended === asked.current) return
    asked.current = ended
    if (ended !== '') void refresh()
  }, [ended, refresh])
}

function isBehind({ status, lastSyncedAt }: Source, run: SyncRun): boolean {
  if (run.status === 'failed') return status === 'pending' || status === 'active'
  if (run.status !== 'succeeded' || run.finishedAt === null) return false
  return lastSyncedAt === null || lastSyncedAt < run.finishedAt
}
