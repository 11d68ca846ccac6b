import { createRequestLog } from '../request-log/index.ts'
import { createCredits, createRateLimit } from '../usage/index.ts'
import type { Foundation } from './foundation.ts'

/** What counts requests: credits, rate windows and the request log. */
export function requestCountersOf({ database: { db }, settings, clock, logger }: Foundation) {
  const onLost = (requests: number, err?: unknown): void =>
    logger.warn({ err, requests }, 'requests are missing from the request log')
  return {
    credits: createCredits({ db, clock }),
    rateLimit: createRateLimit({ db, limitPerMinute: settings.API_RATE_LIMIT_PER_MIN }),
    requestLog: createRequestLog({ db, clock, onLost }),
  }
}
