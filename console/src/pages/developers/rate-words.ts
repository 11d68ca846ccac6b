import type { Schemas } from '../../api/client.ts'

type Window = Schemas['RateWindow']

/** How much of its rate limit a key has used: its busiest action, and the others. */
export interface KeyRate {
  requests: number
  /** Null without requests. */
  action: string | null
  /** Each other action with its requests: "ask 3". */
  others: string[]
}

const LIVE_MS = 5_000
export const MINUTE_MS = 60_000
/** The share of the user's own rate limit that polling may use. */
const SHARE = 1 / 4

/** Requests of the last minute by key ID. Keys without requests are omitted. */
export function ratesByKey(windows: readonly Window[]): Map<string, KeyRate> {
  const rates = new Map<string, KeyRate>()
  for (const { apiKeyId, action, requests } of windows.toSorted(
    (one, other) => other.requests - one.requests,
  )) {
    const fullest = rates.get(apiKeyId)
    if (fullest === undefined) rates.set(apiKeyId, { requests, action, others: [] })
    else fullest.others.push(`${action} ${requests}`)
  }
  return rates
}

/** The poll interval in milliseconds. Each poll counts against the user's own rate limit. */
export function lookEveryMs(requestsPerMinute: number): number {
  return Math.max(LIVE_MS, Math.ceil(MINUTE_MS / (requestsPerMinute * SHARE)))
}
