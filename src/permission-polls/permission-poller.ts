import { createTask, type DatabaseClock, keepLease } from '../background/index.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import { LEASE_SECONDS, acquirePoll, type LeasedPoll } from './poll-lease.ts'
import { type PollDependencies, pollPermissions } from './poll-permissions.ts'

export interface PermissionPollerDependencies extends PollDependencies {
  clock: DatabaseClock
  /** The offered providers that say who may read an item. */
  providers: readonly ProviderId[]
  onError: (error: unknown) => void
}

export interface PermissionPoller {
  /** Checks for due polls every few seconds. */
  start(): void
  /** Runs polls until none is due. For tests, with the poller not started. */
  settle(): Promise<void>
  /** Starts no new polls and releases those in progress. */
  stop(): Promise<void>
}

const LOOK_MS = 2_000
const CONCURRENCY = 4

/** Polls the permissions of several sources at once, separately from their sync runs, which can take hours. */
export function createPermissionPoller(deps: PermissionPollerDependencies): PermissionPoller {
  const { db, clock, providers, onError } = deps
  const stopping = new AbortController()
  const working = new Set<Promise<void>>()

  async function work(poll: LeasedPoll): Promise<void> {
    const lease = keepLease(deps, poll.lease, LEASE_SECONDS)
    try {
      const fault = await pollPermissions(deps, poll, AbortSignal.any([stopping.signal, lease.lost]))
      if (fault !== undefined) onError(fault)
    } catch (error) {
      onError(error)
    } finally {
      lease.end()
    }
  }
  /** @returns whether it acquired any poll */
  async function acquireNext(): Promise<boolean> {
    let taken = false
    await clock.adjust()
    while (working.size < CONCURRENCY && !stopping.signal.aborted) {
      const poll = await acquirePoll(db, providers, clock.now())
      if (!poll) return taken
      taken = true
      const done = work(poll).finally(() => void working.delete(done))
      working.add(done)
    }
    return taken
  }
  const looking = createTask({ act: acquireNext, intervalMs: LOOK_MS, onError })

  return {
    start() {
      if (providers.length > 0) looking.start()
    },
    async settle() {
      while (await acquireNext()) await Promise.all(working)
    },
    async stop() {
      stopping.abort()
      await looking.stop()
      await Promise.all(working)
    },
  }
}
