import { createRequestLog } from '../request-log/index.ts'
import { createCredits } from '../credits/index.ts'
import { createMessageLimit, createRateLimit } from '../rate-limits/index.ts'
import type { Foundation } from './foundation.ts'

/** Each tool call is a message besides a connection's own; an identity provider sends one for each change. */
const MESSAGES_PER_REQUEST = 10

/** What counts requests: credits, rate limits and the request log. */
export function createRequestCounters({ database: { db }, settings, clock, logger }: Foundation) {
  const onLost = (requests: number, err?: unknown): void =>
    logger.warn({ err, requests }, 'requests are missing from the request log')
  const limitPerMinute = settings.API_RATE_LIMIT_PER_MIN
  const messages = {
    limitPerMinute: limitPerMinute * MESSAGES_PER_REQUEST,
    now: () => clock.now().getTime(),
  }
  return {
    credits: createCredits({ db, clock }),
    rateLimit: createRateLimit({ db, limitPerMinute }),
    messageLimits: {
      mcp: createMessageLimit({ ...messages, action: 'mcp' }),
      scim: createMessageLimit({ ...messages, action: 'scim' }),
    },
    requestLog: createRequestLog({ db, clock, onLost }),
  }
}
