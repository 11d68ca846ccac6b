/** Times in milliseconds. Per account, for refusals that do not say when to come back. */
export interface RateWaits {
  /** A call made at `startedAt` was let through at `now`. */
  passed(account: string, startedAt: number, now: number): void
  /** How long to wait after a call made at `startedAt` was refused at `now`. */
  refused(account: string, startedAt: number, now: number): number
}

const SHORT_MS = 5_000
// Quotas are counted by the minute: https://developers.google.com/workspace/gmail/api/reference/quota
const WINDOW_MS = 60_000

interface AccountState {
  /** The first call let through since the last long wait: the minute that is being counted began then at the latest. */
  windowStart: number | null
  /** Waits in a row with no call let through in between. */
  strikes: number
  /** When the last wait was over. */
  until: number
}

/**
 * Waits for quotas of which only the kind is known. The first wait is short, since it may have been too many calls at once; when
 * that was not enough, the rest of the minute that is counted; then minute by minute. Refusals of calls made before a wait was
 * over belong to that wait.
 */
export function createRateWaits(): RateWaits {
  const accounts = new Map<string, AccountState>()

  function stateOf(account: string): AccountState {
    const known = accounts.get(account)
    if (known) return known
    const made = { windowStart: null, strikes: 0, until: Number.NEGATIVE_INFINITY }
    accounts.set(account, made)
    return made
  }

  return {
    passed: (account, startedAt, now) => {
      const state = stateOf(account)
      // Made before the last wait was over, it says nothing about what is let through since.
      if (startedAt < state.until) return
      state.strikes = 0
      state.windowStart ??= now
    },
    refused: (account, startedAt, now) => {
      const state = stateOf(account)
      if (startedAt < state.until) return Math.max(0, state.until - now)
      state.strikes += 1
      const waitMs = waitOf(state, now)
      if (state.strikes > 1) state.windowStart = null
      state.until = now + waitMs
      return waitMs
    },
  }
}

function waitOf({ strikes, windowStart }: AccountState, now: number): number {
  if (strikes === 1) return SHORT_MS
  if (strikes > 2 || windowStart === null) return WINDOW_MS
  return Math.max(SHORT_MS, windowStart + WINDOW_MS - now)
}
