import { isItemsOwn, ownFailure } from './item-fault.ts'
import { isRejected, ProviderError, type ItemFailure, returnIf } from './adapter.ts'

/** This many consecutive unavailable answers mean an outage, not one broken thread or channel. */
const FAILURES_IN_A_ROW = 3

/** Tells one broken object from an outage. */
export interface OutageGuard {
  passed(): void
  /** The failure to record for one object's error. @throws errors that end the run, and the signal's reason */
  failureOf(externalId: string, error: unknown): ItemFailure
}

/** A guard for one run that gives up after three consecutive unavailable answers. */
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

/**
 * The same, but asks `probe`, a request that every account may make: while the provider answers it, the objects are
 * broken, however many there are.
 */
export function createProbingGuard(signal: AbortSignal, probe: () => Promise<unknown>) {
  const { passed, failureOf } = createOutageGuard(signal)
  return {
    passed,
    async failureOf(externalId: string, error: unknown): Promise<ItemFailure> {
      try {
        return failureOf(externalId, error)
      } catch (thrown) {
        signal.throwIfAborted()
        if (!isUnavailable(error)) throw thrown
        await probe().catch(returnIf(isRejected, null))
        passed()
        return { externalId, message: error.message }
      }
    },
  }
}

export const isUnavailable = (error: unknown): error is ProviderError =>
  error instanceof ProviderError && error.kind === 'unavailable'
