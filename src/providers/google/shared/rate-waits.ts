/** Waiting times per account for refusals that name none. Times in milliseconds. */
export interface RateWaits {
  /** Reports that a call made at `startedAt` succeeded at `now`. */
  passed(account: string, startedAt: number, now: number): void
  /** How long to wait after a call made at `startedAt` was refused at `now`. */
  refused(account: string, startedAt: number, now: number): number
}

const SHORT_MS = 5_000
// Quotas count by the minute: https://developers.google.com/workspace/gmail/api/reference/quota
const WINDOW_MS = 60_000

interface AccountState {
  /** The first successful call since the last long wait: the minute being counted began no later. */
  windowStart: number | null
  /** Consecutive waits without a successful call. */
  strikes: number
  /** When the last wait ended. */
  until: number
}

/**
 * Waits for quotas that name no time. The first wait is short, since there may only have been too many calls at once.
 * The second lasts the rest of the counted minute, and further ones a minute each. A refusal of a call made before a
 * wait ended belongs to that wait.
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
      // The call started before the last wait ended, so it says nothing about the quota since.
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
