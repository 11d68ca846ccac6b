import { ProviderFailure } from '../inference/provider-failure.ts'
import { AppError } from '../kernel/errors.ts'

/** The embedding model refuses one or more items, although it accepts a few plain words. */
export class RefusedByModel extends Error {
  constructor(status: number, cause: Error) {
    super(`the embedding model refuses it (HTTP ${status})`, { cause })
    this.name = 'RefusedByModel'
  }
}

/** The statuses of model servers for an input that is too long or unreadable. */
const REFUSED_INPUT = new Set([400, 413, 422])

/**
 * Decides whether items are to blame for a failed embedding: they are if the model refuses them but accepts a
 * few plain words. A model that refuses those too is misconfigured.
 * @param embedPlainWords embeds them with the same models and stores nothing
 * @returns `RefusedByModel`, or the original error.
 * @throws other failures of the test
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
