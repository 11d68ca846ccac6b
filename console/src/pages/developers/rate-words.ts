import type { Schemas } from '../../api/client.ts'

type Window = Schemas['RateWindow']

/** How full a key's minute is: by the action that it sends most for, and what else it sends. */
export interface KeyRate {
  requests: number
  /** null: it has sent nothing. */
  action: string | null
  /** Each further action with its requests: "ask 3". */
  others: string[]
}

const LIVE_MS = 5_000
export const MINUTE_MS = 60_000
/** The part of a person's own minute that looking may take. */
const SHARE = 1 / 4

/** What each key has sent in the last minute, by its id; a key that has sent nothing is not among them. */
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

/** How often to look, in milliseconds: looking is a request too, and counts in a minute of the person's own. */
export function lookEveryMs(requestsPerMinute: number): number {
  return Math.max(LIVE_MS, Math.ceil(MINUTE_MS / (requestsPerMinute * SHARE)))
}
