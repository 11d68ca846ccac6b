import { randomUUID } from 'node:crypto'
import { ProviderFailure } from '../inference/provider-failure.ts'
import type { Items, NewItem } from '../items/index.ts'
import { AppError } from '../kernel/errors.ts'
import { type ItemFailure, isItemsOwn, ownFailure } from '../providers/index.ts'
import { SourcePaused } from './finish-run.ts'
import { LeaseLost } from './run-lease.ts'

/** The embedding model refuses this item, or one of these, though it works. */
class RefusedItem extends Error {
  constructor(status: number, cause: Error) {
    super(`the embedding model refuses it (HTTP ${status})`, { cause })
    this.name = 'RefusedItem'
  }
}

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
  if (error instanceof RefusedItem || isRefusedByDatabase(error))
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

/**
 * Writes items, and makes it their fault when the embedding model refuses them but takes a few plain words: a model that
 * refuses those too is set up wrongly, and nothing may be skipped for that.
 */
export function writeWithBlame(items: Pick<Items, 'write'>): Pick<Items, 'write'> {
  return {
    async write(organizationId, given, within, signal) {
      try {
        return await items.write(organizationId, given, within, signal)
      } catch (error) {
        const refusal = refusalOf(error)
        const [first] = given
        if (refusal === null || first === undefined) throw error
        if (!(await takesPlainWords(items, organizationId, first, signal))) throw error
        throw new RefusedItem(refusal.status, refusal.cause)
      }
    },
  }
}

/** What model servers answer to an input that is too long or that they cannot read. */
const REFUSED_INPUT = new Set([400, 413, 422])

function refusalOf(error: unknown): { status: number; cause: Error } | null {
  if (!(error instanceof AppError) || !(error.cause instanceof ProviderFailure)) return null
  const { kind, status } = error.cause
  if (kind !== 'rejected' || status === null || !REFUSED_INPUT.has(status)) return null
  return { status, cause: error }
}

class ProbeEmbedded extends Error {}

const giveUp = (): Promise<void> => Promise.reject(new ProbeEmbedded())

/** Embeds an item of the same source that nothing can be wrong with, and stores nothing. */
async function takesPlainWords(
  items: Pick<Items, 'write'>,
  organizationId: string,
  like: NewItem,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const words = { title: 'Words', body: 'A few plain words.', url: null, authorName: null, metadata: {} }
  const probe = { ...like, ...words, externalId: `probe ${randomUUID()}` }
  try {
    await items.write(organizationId, [probe], giveUp, signal)
  } catch (error) {
    if (error instanceof ProbeEmbedded) return true
    if (refusalOf(error) === null) throw error
  }
  return false
}
