/** Times are whole seconds since the epoch, as at Stripe. */
export interface TurnedClock {
  /** The time at Stripe; while a due effect is replayed, the time it was due. */
  now(): number
  /** The callers' time, which cannot be changed. */
  callersNow(): number
  /** Sets the clock forward; it runs on from there. @throws for an earlier time */
  turnTo(time: number): void
  /** Runs something as of an earlier time. */
  asOf<T>(time: number, run: () => T): T
  /**
   * Converts a caller's time to the time at Stripe: a caller on the unchanged clock does not know how far this one
   * was moved. A time in the caller's future can only come from this clock, and stays as it is.
   */
  fromCaller(time: number): number
}

const CALLER_AHEAD_SECONDS = 300

/** A clock that follows `nowMs` (epoch milliseconds) until it is moved. */
export function createTurnedClock(nowMs: () => number): TurnedClock {
  const turns: { at: number; offset: number }[] = []
  let playedBack: number | null = null
  const callersNow = () => Math.floor(nowMs() / 1000)
  const offsetNow = () => turns.at(-1)?.offset ?? 0
  const present = () => callersNow() + offsetNow()

  return {
    now: () => playedBack ?? present(),
    callersNow,
    turnTo: (time) => {
      if (time < present()) throw new Error('the clock only goes forward')
      turns.push({ at: callersNow(), offset: time - callersNow() })
    },
    asOf: (time, run) => {
      const outer = playedBack
      playedBack = time
      try {
        return run()
      } finally {
        playedBack = outer
      }
    },
    fromCaller: (time) => {
      if (time > callersNow() + CALLER_AHEAD_SECONDS) return time
      return time + (turns.findLast(({ at }) => at <= time)?.offset ?? 0)
    },
  }
}

export const DAY = 86_400
export const HOUR = 3_600

export const INTERVALS = ['day', 'week', 'month', 'year'] as const
export type Interval = (typeof INTERVALS)[number]

/** `count` intervals after a time, in UTC; a day missing from the month becomes its last. */
export function addIntervals(time: number, interval: Interval, count: number): number {
  if (interval === 'day') return time + count * DAY
  if (interval === 'week') return time + count * 7 * DAY
  const from = new Date(time * 1000)
  const months = interval === 'month' ? count : count * 12
  const first = Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + months, 1)
  const target = new Date(first)
  const days = new Date(Date.UTC(target.getUTCFullYear(), target.getUTCMonth() + 1, 0)).getUTCDate()
  const day = Math.min(from.getUTCDate(), days)
  return first / 1000 + (day - 1) * DAY + (time - Math.floor(time / DAY) * DAY)
}

/** The billing period around `time` of cycles that begin at `anchor`. */
export function periodAround(
  anchor: number,
  cycle: { interval: Interval; count: number },
  time: number,
): { start: number; end: number } {
  let index = Math.floor((time - anchor) / (LONGEST_SECONDS[cycle.interval] * cycle.count))
  const at = (i: number) => addIntervals(anchor, cycle.interval, i * cycle.count)
  while (at(index + 1) <= time) index += 1
  while (at(index) > time) index -= 1
  return { start: at(index), end: at(index + 1) }
}

const LONGEST_SECONDS = { day: DAY, week: 7 * DAY, month: 31 * DAY, year: 366 * DAY }
