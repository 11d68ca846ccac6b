import { isDatabaseError } from '../database/retry-conflicts.ts'
import { AppError } from '../kernel/errors.ts'
import { type ItemFailure, ProviderError } from './adapter.ts'

/** Whether an error while processing one item is the item's own: not the provider's, a model's or the database's. */
export function isItemsOwn(error: unknown): boolean {
  if (!(error instanceof Error)) return true
  if (error instanceof ProviderError || error instanceof AppError || isDatabaseError(error)) return false
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return false
  // Socket errors have the codes of errno(3).
  return !('code' in error && /^E[A-Z]+$/.test(String(error.code)))
}

/** The failure of an item that the service cannot process. Names only the kind of error, as errors quote input. */
export function ownFailure(externalId: string, what: string, fault: unknown): ItemFailure {
  const kind = fault instanceof Error ? fault.name : `a thrown ${typeof fault}`
  const message = `${what}: processing failed (${kind})`
  return { externalId, message, code: 'service_failed', fault }
}
