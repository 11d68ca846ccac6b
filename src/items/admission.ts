import pLimit from 'p-limit'
import { AppError } from '../kernel/errors.ts'

/** Requests worked on at one time: two keep both the processor and the database busy. */
const CONCURRENCY = 2
/** Requests that may wait, each holding its documents in memory. */
const WAITING_MAX = 16
const RETRY_AFTER_SECONDS = 5

/**
 * Bounds the ingests of this process, so that a burst fills neither its memory nor the event loop.
 * The function that it returns throws AppError `overloaded` with Retry-After when too many wait already.
 */
export function createAdmission(
  concurrency = CONCURRENCY,
  waitingMax = WAITING_MAX,
): <T>(work: () => Promise<T>) => Promise<T> {
  const limit = pLimit(concurrency)
  return async (work) => {
    if (limit.pendingCount >= waitingMax) {
      throw new AppError(
        'overloaded',
        `Too many documents are being ingested at this moment; try again in ${RETRY_AFTER_SECONDS} seconds`,
        {
          details: { retryAfterSeconds: RETRY_AFTER_SECONDS },
          headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
        },
      )
    }
    return await limit(work)
  }
}
