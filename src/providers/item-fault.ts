import { isDatabaseError } from '../database/retry-conflicts.ts'
import { AppError } from '../kernel/errors.ts'
import { type ItemFailure, ProviderError } from './provider.ts'

/**
 * Whether what was thrown while one item was read, cut or stored is that item's own fault: everything is, of whatever class, but
 * what would meet every other item as well: what the provider or a model's server said, the database's errors and broken
 * connections, and calls that were given up. To be asked only where a single item is at work, and not once the run has to stop.
 */
export function isItemsOwn(error: unknown): boolean {
  if (!(error instanceof Error)) return true
  if (error instanceof ProviderError || error instanceof AppError || isDatabaseError(error)) return false
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return false
  // A socket's errors have the names of errno(3).
  return !('code' in error && /^E[A-Z]+$/.test(String(error.code)))
}

/**
 * The failure of an item that the service itself fails on. Its message says no more than the kind of error, since errors quote
 * what they fail on; the engine logs the rest.
 */
export function ownFailure(externalId: string, what: string, fault: unknown): ItemFailure {
  const kind = fault instanceof Error ? fault.name : `a ${typeof fault} was thrown`
  return { externalId, message: `${what}: the service failed on it (${kind})`, fault }
}
