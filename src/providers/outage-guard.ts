import { isItemsOwn, ownFailure } from './item-fault.ts'
import { isRejected, ProviderError, type ItemFailure, returnIf } from './adapter.ts'

/** After this many consecutive unavailable answers, `probe` decides. */
const FAILURES_IN_A_ROW = 3

/** Tells broken objects from an outage. */
export interface OutageGuard {
  passed(): void
  /** The failure to record for one object's error. @throws errors that end the run, and the signal's reason */
  failureOf(externalId: string, error: unknown): Promise<ItemFailure>
}

/**
 * A guard for one run. `probe` is a request that every account may make: while the provider answers it, even with a
 * refusal, the objects are broken, however many there are.
 */
export function createOutageGuard(signal: AbortSignal, probe: () => Promise<unknown>): OutageGuard {
  let inARow = 0
  return {
    passed: () => {
      inARow = 0
    },
    failureOf: async (externalId, error) => {
      signal.throwIfAborted()
      const failure = itemFailure(externalId, error)
      if (isUnavailable(error)) inARow += 1
      if (inARow >= FAILURES_IN_A_ROW) {
        await probe().catch(returnIf(isRejected, null))
        inARow = 0
      }
      return failure
    },
  }
}

/** The failure of one item, or of a part of it. @throws errors that end the run */
export function itemFailure(externalId: string, error: unknown): ItemFailure {
  if (isItemsOwn(error)) return ownFailure(externalId, 'It cannot be read', error)
  if (!isRejected(error) && !isUnavailable(error)) throw error
  return { externalId, message: error.message }
}

export const isUnavailable = (error: unknown): error is ProviderError =>
  error instanceof ProviderError && error.kind === 'unavailable'
