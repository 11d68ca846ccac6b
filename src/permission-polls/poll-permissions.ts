import { LeaseLost, releaseLease } from '../background/index.ts'
import { MINUTE_MS } from '../kernel/clock.ts'
import { AppError } from '../kernel/errors.ts'
import { storableText } from '../kernel/text.ts'
import {
  findProvider,
  type ProviderAdapter,
  ProviderError,
  type ProviderSession,
} from '../providers/index.ts'
import { schedulePoll, type Source } from '../sources/index.ts'
import { type ApplyDependencies, applyPermissions, keepGroups, readGroupIds } from './apply-permissions.ts'
import { POLL_INTERVAL_MS } from './schedule.ts'
import { endPoll, type LeasedPoll } from './poll-lease.ts'

export type OpenSource = (
  source: Source,
  options: { signal: AbortSignal; wait(ms: number): Promise<void> },
) => Promise<{ adapter: ProviderAdapter; session: ProviderSession }>

export interface PollDependencies extends ApplyDependencies {
  random: () => number
  openSource: OpenSource
  wait(ms: number, signal: AbortSignal): Promise<void>
}

const MESSAGE_CHARACTERS = 2_000
/** A revoked grant returns only when a person connects again, which schedules its own poll. */
const AFTER_AUTH_FAILURE_MS = 30 * MINUTE_MS

/** Stores what changed of who may read what. What it could not read stays. @returns a fault of the service, to log */
export async function pollPermissions(
  deps: PollDependencies,
  poll: LeasedPoll,
  signal: AbortSignal,
): Promise<unknown> {
  const { db, clock } = deps
  try {
    await read(deps, poll, signal)
    await endPoll(db, poll, { checkedAt: poll.startedAt, errorMessage: null, nextAt: nextPoll(deps, poll) })
    return undefined
  } catch (error) {
    if (error instanceof LeaseLost) return undefined
    if (signal.aborted) {
      await releaseLease(db, poll.lease, { set: { next_at: clock.now() } })
      return undefined
    }
    const errorMessage = storableText(messageOf(error).slice(0, MESSAGE_CHARACTERS))
    await endPoll(db, poll, { checkedAt: null, errorMessage, nextAt: nextPoll(deps, poll, error) })
    return error instanceof ProviderError || error instanceof AppError ? undefined : error
  }
}

async function read(deps: PollDependencies, poll: LeasedPoll, signal: AbortSignal): Promise<void> {
  const { db, clock } = deps
  const { source } = poll
  const { adapter, session } = await deps.openSource(source, {
    signal,
    wait: (ms) => deps.wait(ms, signal),
  })
  const known = await readGroupIds(db, source)
  const pages = adapter.listPermissions?.(session, { cursor: source.cursor, groupIds: known })
  if (!pages) return
  for (;;) {
    const next = await pages.next()
    signal.throwIfAborted()
    if (!next.done) {
      await applyPermissions(deps, poll, next.value)
      continue
    }
    const { groupIds, needsRun } = next.value
    if (groupIds !== null) await keepGroups(db, poll, groupIds)
    if (needsRun && source.status !== 'error') await schedulePoll(db, source, clock.now())
    return
  }
}

/** The provider's own message. A fault of the service gets a general one; the log has the details. */
function messageOf(error: unknown): string {
  if (error instanceof ProviderError || error instanceof AppError) return error.message
  return 'Reading the permissions failed inside the service; it will be retried'
}

function nextPoll({ clock, random }: PollDependencies, { source }: LeasedPoll, error?: unknown): Date {
  const { pollMinutes = 0 } = findProvider(source.provider)
  const isAuth = error instanceof ProviderError && error.kind === 'auth'
  const ms = isAuth ? AFTER_AUTH_FAILURE_MS : POLL_INTERVAL_MS * (0.9 + 0.1 * random())
  const leastMs = error === undefined ? pollMinutes * MINUTE_MS : 0
  return new Date(clock.now().getTime() + Math.max(ms, leastMs))
}
