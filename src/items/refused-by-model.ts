import { ProviderFailure } from '../inference/provider-failure.ts'
import { AppError } from '../kernel/errors.ts'

/** The embedding model refuses an item, or one of several, though it takes a few plain words. */
export class RefusedByModel extends Error {
  constructor(status: number, cause: Error) {
    super(`the embedding model refuses it (HTTP ${status})`, { cause })
    this.name = 'RefusedByModel'
  }
}

/** What model servers answer to an input that is too long or that they cannot read. */
const REFUSED_INPUT = new Set([400, 413, 422])

/**
 * Whose fault it is that items could not be embedded: theirs, when the model refuses them but takes a few plain words. A model
 * that refuses those too is set up wrongly, and no item is to blame.
 * @param embedPlainWords embeds them with the same models, and keeps nothing
 * @returns `RefusedByModel`, or else the error as it was. @throws what else fails while the model is asked
 */
export async function blameItems(error: unknown, embedPlainWords: () => Promise<void>): Promise<unknown> {
  const refusal = refusalOf(error)
  if (refusal === null) return error
  try {
    await embedPlainWords()
  } catch (failure) {
    if (refusalOf(failure) === null) throw failure
    return error
  }
  return new RefusedByModel(refusal.status, refusal.cause)
}

function refusalOf(error: unknown): { status: number; cause: Error } | null {
  if (!(error instanceof AppError) || !(error.cause instanceof ProviderFailure)) return null
  const { kind, status } = error.cause
  if (kind !== 'rejected' || status === null || !REFUSED_INPUT.has(status)) return null
  return { status, cause: error }
}
