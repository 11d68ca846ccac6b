import { LeaseLost } from '../background/index.ts'
import { RefusedByModel } from '../items/index.ts'
import { type ItemFailure, isItemsOwn, ownFailure } from '../providers/index.ts'
import { SourcePaused } from './finish-run.ts'

/** Whether an item's content made storing fail: SQLSTATE 22 or 54, a refusal by the model, or any chunking error. */
export function isItemFault(error: unknown): boolean {
  if (error instanceof LeaseLost || error instanceof SourcePaused) return false
  return isItemsOwn(error) || isRefusedByDatabase(error)
}

function isRefusedByDatabase(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && /^(22|54)[0-9A-Z]{3}$/.test(String(error.code))
}

/** The failure of an item that could not be stored, with the refusing component's message. */
export function storeFailure(
  { externalId, title }: Pick<ItemFailure, 'externalId' | 'title'>,
  error: unknown,
): ItemFailure {
  const named = { externalId, ...(title === undefined ? {} : { title }) }
  if (error instanceof RefusedByModel || isRefusedByDatabase(error))
    return { ...named, message: `It cannot be stored: ${error.message}`, code: 'not_storable' }
  return { ...ownFailure(externalId, 'It cannot be stored', error), ...named }
}

/** The error's class, code and stack, without its message, which may quote the item. */
export function withoutMessage(fault: unknown): Error {
  const described = new Error('message omitted, since it may quote the item')
  if (!(fault instanceof Error)) {
    described.name = `thrown ${typeof fault}`
    described.stack = ''
    return described
  }
  described.name = fault.name
  const stack = fault.stack ?? ''
  const message = stack.indexOf(fault.message)
  // If the message is not found verbatim, it cannot be separated from the stack.
  described.stack = message === -1 ? '' : `${fault.name}${stack.slice(message + fault.message.length)}`
  return described
}
