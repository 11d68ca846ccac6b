import type { ItemFailure } from '../../adapter.ts'
import { type RetryList, retryLater } from '../../run-state.ts'
import { GoogleError } from './error.ts'
import { ExtractionError } from '../../../file-text/index.ts'
import { isItemsOwn, ownFailure } from '../../item-fault.ts'

const MOST_IN_A_ROW = 5

/** The list after a step. @throws ProviderError `unavailable` when it is full */
export function retriesAfter(
  list: RetryList,
  { settled, again }: { settled: readonly string[]; again: readonly string[] },
): RetryList {
  const done = new Set(settled)
  return again.reduce(
    (waiting, id) => retryLater(waiting, id),
    list.filter(({ id }) => !done.has(id)),
  )
}

export interface Judgement {
  verdict: 'gone' | 'failed' | 'again'
  failure: ItemFailure
}

export interface ItemFailures {
  /** Classifies a failed item: `gone`, `failed` (recorded) or `again` (and retried). @throws errors that end the run */
  judge(externalId: string, error: unknown): Promise<Judgement>
  /** Reports a successful read: the provider is up. */
  succeeded(): void
}

/** Tells bad items from an outage: after several unanswered ones in a row, `probe` decides. */
export function createItemFailures(probe: () => Promise<unknown>): ItemFailures {
  let inARow = 0
  return {
    succeeded: () => {
      inARow = 0
    },
    judge: async (externalId, error) => {
      if (error instanceof ExtractionError)
        return { verdict: 'failed', failure: { externalId, message: error.message } }
      if (isItemsOwn(error))
        return { verdict: 'failed', failure: ownFailure(externalId, 'It cannot be read', error) }
      if (!(error instanceof GoogleError)) throw error
      const failure = { externalId, message: error.message }
      if (error.kind === 'unavailable') {
        inARow += 1
        if (inARow >= MOST_IN_A_ROW) {
          await answers(probe)
          inARow = 0
        }
        return { verdict: 'again', failure }
      }
      if (error.kind !== 'rejected') throw error
      inARow = 0
      return { verdict: error.status === 404 ? 'gone' : 'failed', failure }
    },
  }
}

/** Any answer to the probe, even a refusal, means that the provider is up. */
async function answers(probe: () => Promise<unknown>): Promise<void> {
  try {
    await probe()
  } catch (error) {
    if (!(error instanceof GoogleError) || error.kind !== 'rejected') throw error
  }
}
