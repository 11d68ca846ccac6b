import { randomUUID } from 'node:crypto'
import { ProviderFailure } from '../inference/provider-failure.ts'
import type { Items, NewItem } from '../items/index.ts'
import { AppError } from '../kernel/errors.ts'

/** The embedding model refuses this item, or one of these, though it works. */
class RefusedItem extends Error {
  constructor(status: number, cause: Error) {
    super(`the embedding model refuses it (HTTP ${status})`, { cause })
    this.name = 'RefusedItem'
  }
}

/**
 * Whether storing failed because of what an item holds: the database cannot represent it (SQLSTATE class 22) or it is over
 * one of its limits (class 54, https://www.postgresql.org/docs/current/errcodes-appendix.html), cutting it into chunks broke,
 * or the embedding model refuses it.
 */
export function isItemFault(error: unknown): error is Error {
  if (!(error instanceof Error)) return false
  if (error instanceof RangeError || error instanceof URIError || error instanceof RefusedItem) return true
  return 'code' in error && /^(22|54)[0-9A-Z]{3}$/.test(String(error.code))
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
