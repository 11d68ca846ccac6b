import { isDatabaseError } from '../database/retry-conflicts.ts'
import { AppError } from '../kernel/errors.ts'
import { type ItemFailure, ProviderError } from './provider.ts'

/**
 * Whether an error while reading, chunking or storing one item is that item's own fault. Every error is, unless it
 * would hit every other item too: errors of the provider, a model server or the database, broken connections, and
 * aborted calls. Call it only while a single item is processed and the run need not stop.
 */
export function isItemsOwn(error: unknown): boolean {
  if (!(error instanceof Error)) return true
  if (error instanceof ProviderError || error instanceof AppError || isDatabaseError(error)) return false
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return false
  // Socket errors have the codes of errno(3).
  return !('code' in error && /^E[A-Z]+$/.test(String(error.code)))
}

/**
 * The failure of an item that the service itself cannot process. Its message names only the kind of error, since
 * errors quote their input; the engine logs the rest.
 */
export function ownFailure(externalId: string, what: string, fault: unknown): ItemFailure {
  const kind = fault instanceof Error ? fault.name : `a thrown ${typeof fault}`
  const message = `${what}: the service failed on it (${kind})`
  return { externalId, message, code: 'service_failed', fault }
}
