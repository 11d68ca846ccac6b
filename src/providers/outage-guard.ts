import { isItemsOwn, ownFailure } from './item-fault.ts'
import { ProviderError, type ItemFailure } from './provider.ts'

/** This many calls in a row that find Slack down mean that it is down, not that one thread or channel is broken. */
const FAILURES_IN_A_ROW = 3

/** Tells one broken thing from a provider that is down. */
export interface OutageGuard {
  passed(): void
  /**
   * The failure to record for an error that concerns one thing alone, of whatever class it is; throws the others (auth, rate
   * limit, outage), and the signal's reason once the run has to stop.
   */
  failureOf(externalId: string, error: unknown): ItemFailure
}

/** A guard of one run that gives up after three unavailable answers without a good one in between. */
export function createOutageGuard(signal: AbortSignal): OutageGuard {
  let inARow = 0
  return {
    passed: () => {
      inARow = 0
    },
    failureOf: (externalId, error) => {
      signal.throwIfAborted()
      if (isItemsOwn(error)) return ownFailure(externalId, 'It cannot be read', error)
      if (!(error instanceof ProviderError)) throw error
      if (error.kind !== 'rejected' && error.kind !== 'unavailable') throw error
      if (error.kind === 'unavailable') inARow += 1
      if (inARow >= FAILURES_IN_A_ROW) throw error
      return { externalId, message: error.message }
    },
  }
}
