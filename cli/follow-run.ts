import type { ApiClient } from './api-client.ts'
import { type SyncRun, SyncRunDetails } from './api-shapes.ts'
import { CommandError } from './failures.ts'
import { withRetries } from './retry.ts'
import { printableLine, type Terminal } from './terminal.ts'

/** Twice a second would be nicer to look at, and use up the rate limit of the key that others may need. */
const LOOK_MS = 2_000
const FAILURES_SHOWN = 5

export type EndedRun = Awaited<ReturnType<typeof followRun>>

/**
 * Waits until a sync run has ended, telling how far it is, and answers it with what could not be read.
 * `path` is that of the runs: `/v1/sync-runs` for a key, `/v1/console/sync-runs` for a person.
 */
export async function followRun(
  client: ApiClient,
  { path, id, label }: { path: string; id: string; label: string },
  terminal: Terminal,
) {
  let told = ''
  for (;;) {
    const details = await patiently(terminal, () =>
      client.call(SyncRunDetails, { method: 'GET', path: `${path}/${id}` }),
    )
    const { status } = details.syncRun
    if (status === 'succeeded' || status === 'failed') return details
    const standing = `${label}: ${standingOf(details.syncRun)}`
    if (standing !== told) terminal.note(standing)
    told = standing
    await sleep(LOOK_MS)
  }
}

/** Says how a run has ended. @throws CommandError with the provider's words when it failed */
export function reportRun(
  label: string,
  { syncRun, itemsFailed, failures }: EndedRun,
  terminal: Terminal,
): void {
  if (syncRun.status === 'failed') {
    throw new CommandError(
      `${label}: the sync failed: ${printableLine(syncRun.errorMessage ?? 'no reason given')}`,
    )
  }
  const { itemsDiscovered, itemsIngested, itemsDeleted } = syncRun
  terminal.print(
    `${label}: ${itemsDiscovered} items found, ${itemsIngested} new or changed, ${itemsDeleted} removed, ${itemsFailed} not readable`,
  )
  for (const { externalId, message } of failures.slice(0, FAILURES_SHOWN)) {
    terminal.print(`  ${printableLine(externalId)}: ${printableLine(message)}`)
  }
  if (itemsFailed > FAILURES_SHOWN) terminal.print(`  … and ${itemsFailed - FAILURES_SHOWN} more`)
}

function standingOf({ status, itemsDiscovered, itemsIngested }: SyncRun): string {
  return status === 'queued' ? 'queued' : `${itemsDiscovered} items found, ${itemsIngested} stored so far`
}

/** A request that waits out rate limits and short outages. */
export function patiently<T>(terminal: Terminal, request: () => Promise<T>): Promise<T> {
  return withRetries(request, {
    sleep,
    onWait: (reason, milliseconds) => terminal.note(`Waiting ${Math.ceil(milliseconds / 1000)} s: ${reason}`),
  })
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
