import { z } from 'zod'
import { ProviderError, type ItemFailure } from '../../adapter.ts'
import { GoogleError } from './error.ts'
import { ExtractionError } from '../../../file-text/index.ts'
import { isItemsOwn, ownFailure } from '../../item-fault.ts'

const MOST_IN_A_ROW = 5
const MOST_TO_RETRY = 200
const MOST_TRIES = 5

/** Items that a run could not read because the provider did not answer; later runs retry them. Part of the cursor. */
export const retryList = z.array(z.object({ id: z.string(), tries: z.number().int() }))
export type RetryList = z.infer<typeof retryList>

/** The list after a step. @throws ProviderError `unavailable` when it is full, which is close to an outage */
export function retriesAfter(
  list: RetryList,
  { settled, again }: { settled: readonly string[]; again: readonly string[] },
): RetryList {
  const done = new Set(settled)
  let retries = list.filter(({ id }) => !done.has(id))
  for (const id of again) retries = withRetry(retries, id)
  return retries
}

function withRetry(list: RetryList, id: string): RetryList {
  const tries = (list.find((entry) => entry.id === id)?.tries ?? 0) + 1
  const others = list.filter((entry) => entry.id !== id)
  if (tries >= MOST_TRIES) return others
  if (others.length < MOST_TO_RETRY) return [...others, { id, tries }]
  throw new ProviderError('unavailable', `Google did not answer for more than ${MOST_TO_RETRY} items`)
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
