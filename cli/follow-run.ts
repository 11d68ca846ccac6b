import type { z } from 'zod'
import type { RetryPolicy } from '../client/src/index.ts'
import type { ApiClient } from './api-client.ts'
import { type SyncRun, SyncRunDetails } from './api-shapes.ts'
import { CommandError } from './failures.ts'
import { retryPolicy, waitNote } from './retry-policy.ts'
import { printableLine, type Terminal } from './terminal.ts'

/** Polling more often would use up the key's rate limit, which others may need. */
const LOOK_MS = 2_000
const FAILURES_SHOWN = 5

export type RunDetails = z.output<typeof SyncRunDetails>

/** Waits until the sync run that `look` reads ends, shows progress, and returns the run with its failures. */
export async function followRun(
  look: () => Promise<RunDetails>,
  label: string,
  terminal: Terminal,
): Promise<RunDetails> {
  let told = ''
  for (;;) {
    const details = await look()
    const { status } = details.syncRun
    if (status === 'succeeded' || status === 'failed') return details
    const progress = `${label}: ${progressOf(details)}`
    if (progress !== told) terminal.note(progress)
    told = progress
    await sleep(LOOK_MS)
  }
}

/** The same for a run that a user reads in the console. */
export async function followConsoleRun(
  person: ApiClient,
  { id, label }: { id: string; label: string },
  terminal: Terminal,
): Promise<RunDetails> {
  const path = `/v1/console/sync-runs/${id}`
  const retry = retryPolicyOn(terminal, person.url)
  return await followRun(() => person.call(SyncRunDetails, { method: 'GET', path, retry }), label, terminal)
}

/** Reports how a run ended, by `provider` if known. @throws CommandError with its message when it failed */
export function reportRun(
  { label, provider }: { label: string; provider?: string | undefined },
  details: RunDetails,
  terminal: Terminal,
): void {
  const { syncRun, itemsFailed, failures } = details
  if (syncRun.status === 'failed') {
    const reason = printableLine(syncRun.errorMessage ?? 'no reason given')
    throw new CommandError(`${label}: the sync failed: ${reason}\n${failureHint(details, provider)}`)
  }
  const { itemsDiscovered, itemsIngested, itemsDeleted } = syncRun
  terminal.print(
    `${label}: ${itemsDiscovered} items found, ${itemsIngested} new or changed, ${itemsDeleted} deleted, ${itemsFailed} not readable${othersOf(syncRun, itemsFailed)}`,
  )
  for (const { title, externalId, message } of failures.slice(0, FAILURES_SHOWN)) {
    terminal.print(`  ${printableLine(title ?? externalId)}: ${printableLine(message)}`)
  }
  if (itemsFailed > FAILURES_SHOWN) terminal.print(`  … and ${itemsFailed - FAILURES_SHOWN} more`)
}

/**
 * The next step for a source whose run failed: reconnect if its access has ended, else the time of the retry. Without
 * `details`, or from an older service, mentions both.
 */
export function failureHint(details: RunDetails | undefined, provider: string | undefined): string {
  const command = `npm run memory -- connect ${provider ?? 'PROVIDER'}`
  if (details?.needsReconnection === undefined)
    return `The service retries. If the account's access was withdrawn or has expired, connect it again: ${command}`
  if (details.needsReconnection) return `The account's access has ended. Connect it again: ${command}`
  if (details.nextRunAt == null) return 'The service does not retry while the source is paused.'
  const when = momentOf(details.nextRunAt)
  return when === null ? 'The service retries soon.' : `The service retries at ${when}.`
}

/** A future time in UTC, with its date unless it is today; null for a past one. */
function momentOf(timestamp: string): string | null {
  const now = new Date()
  const then = new Date(timestamp)
  if (!(then > now)) return null
  const [day = '', time = ''] = then.toISOString().split('T')
  const isToday = now.toISOString().startsWith(day)
  return `${isToday ? '' : `${day} `}${time.slice(0, 5)} UTC`
}

/** Items found that were neither stored nor failed. Some providers count deleted items as found. */
function othersOf({ itemsDiscovered, itemsIngested, itemsDeleted }: SyncRun, itemsFailed: number): string {
  const others = itemsDiscovered - itemsIngested - itemsFailed
  if (others <= 0) return ''
  return `, ${others} ${itemsDeleted === 0 ? 'unchanged or without text' : 'unchanged, without text or removed'}`
}

function progressOf({ syncRun, waitingUntil }: RunDetails): string {
  const { status, itemsDiscovered, itemsIngested } = syncRun
  // A page's items count as found only when all of them are stored.
  const found = Math.max(itemsDiscovered, itemsIngested)
  const counts = `${found} items found, ${itemsIngested} stored so far`
  // A past time is not a wait: the run is queued or running.
  if (waitingUntil == null || !(Date.parse(waitingUntil) > Date.now()))
    return status === 'queued' ? 'queued' : counts
  const wait = `waits until ${new Date(waitingUntil).toISOString().slice(11, 16)} UTC, as the provider asked`
  return status === 'queued' ? wait : `${counts}; ${wait}`
}

/** Waits out rate limits and short outages of the service at `url`, and reports each wait. */
export function retryPolicyOn(terminal: Terminal, url: string): Partial<RetryPolicy> {
  return retryPolicy(url, (reason, milliseconds) => terminal.note(waitNote(reason, milliseconds)))
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
