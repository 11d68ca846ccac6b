import { LeaseLost } from '../background/index.ts'
import { RefusedByModel } from '../items/index.ts'
import { type ItemFailure, isItemsOwn, ownFailure } from '../providers/index.ts'
import { SourcePaused } from './finish-run.ts'

/**
 * Whether storing failed because of what an item holds: the database cannot represent it (SQLSTATE class 22) or it is over
 * one of its limits (class 54, https://www.postgresql.org/docs/current/errcodes-appendix.html), the embedding model refuses
 * it, or cutting it into chunks broke, with whatever error.
 */
export function isItemFault(error: unknown): boolean {
  if (error instanceof LeaseLost || error instanceof SourcePaused) return false
  return isItemsOwn(error) || isRefusedByDatabase(error)
}

function isRefusedByDatabase(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && /^(22|54)[0-9A-Z]{3}$/.test(String(error.code))
}

/** The failure of an item that could not be stored, in the words of whoever refused it. */
export function storeFailure(externalId: string, error: unknown): ItemFailure {
  if (error instanceof RefusedByModel || isRefusedByDatabase(error))
    return { externalId, message: `It cannot be stored: ${error.message}` }
  return ownFailure(externalId, 'It cannot be stored', error)
}

/** What was thrown with its class, code and stack, and without its message, which may quote what it failed on. */
export function withoutMessage(fault: unknown): Error {
  const described = new Error('its message is left out, since it may quote the item')
  if (!(fault instanceof Error)) {
    described.name = `thrown ${typeof fault}`
    described.stack = ''
    return described
  }
  described.name = fault.name
  const stack = fault.stack ?? ''
  const message = stack.indexOf(fault.message)
  // Where the message is not found as it is, there is no telling it from the stack.
  described.stack = message === -1 ? '' : `${fault.name}${stack.slice(message + fault.message.length)}`
  return described
}
