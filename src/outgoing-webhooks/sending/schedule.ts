import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../kernel/clock.ts'

const SECOND_MS = 1000

/** The waits after the first attempt, the second and so on: in total three days and half an hour. */
const WAITS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  21 * HOUR_MS,
] as const
/** Each wait is up to this fraction longer, so that failures do not return together. */
const JITTER = 0.1

export const ATTEMPTS_MAX = WAITS_MS.length + 1
/** A webhook whose attempts have all failed for this long is disabled. */
export const FAILING_MS = 72 * HOUR_MS

/** The longest delay that `Retry-After` can request. */
const ASKED_WAIT_MAX_MS = DAY_MS

/** Milliseconds to the next attempt; null: it was the last. `random`: 0 to 1; `askedMs`: the receiver's minimum. */
export function waitAfter(attempts: number, random: number, askedMs = 0): number | null {
  const wait = WAITS_MS[attempts - 1]
  if (wait === undefined) return null
  return Math.round(Math.max(wait, Math.min(askedMs, ASKED_WAIT_MAX_MS)) * (1 + JITTER * random))
}
