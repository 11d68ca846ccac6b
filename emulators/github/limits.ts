import type { EmulatorReply } from '../kit/server.ts'
import { refusal } from './reply.ts'

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

export interface GitHubLimits {
  headers(): Record<string, string>
  /** Counts a request that was not answered with 304. */
  count(): void
  /** The refusal of a request above a limit. */
  refuse(): EmulatorReply | null
}

/** Both limits (docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api). */
export function createLimits({
  now,
  hourly,
  perMinute,
}: {
  now: () => number
  hourly: number
  perMinute: number
}): GitHubLimits {
  let hour = { start: now(), used: 0 }
  let minute = { start: now(), used: 0 }
  const headers = (): Record<string, string> => ({
    'x-ratelimit-limit': String(hourly),
    'x-ratelimit-remaining': String(Math.max(0, hourly - hour.used)),
    'x-ratelimit-used': String(hour.used),
    'x-ratelimit-reset': String(Math.ceil((hour.start + HOUR_MS) / 1000)),
    'x-ratelimit-resource': 'core',
  })
  return {
    headers,
    count: () => void (hour.used += 1),
    refuse() {
      if (now() - hour.start >= HOUR_MS) hour = { start: now(), used: 0 }
      if (now() - minute.start >= MINUTE_MS) minute = { start: now(), used: 0 }
      minute.used += 1
      if (hour.used >= hourly) return refusal(403, 'API rate limit exceeded for user ID 583231.', headers())
      if (minute.used <= perMinute) return null
      const seconds = Math.ceil((minute.start + MINUTE_MS - now()) / 1000)
      const message =
        'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.'
      return refusal(403, message, { ...headers(), 'retry-after': String(seconds) })
    },
  }
}
