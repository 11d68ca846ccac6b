import { DAY_MS } from '../kernel/clock.ts'
import { type AppError, validationError } from '../kernel/errors.ts'
import { dayOf } from './count-use.ts'
import type { DayRange } from './read-days.ts'

export const DAYS_MAX = 92
const DAYS_USUAL = 30

/** The requested days: by default the current period, or the last 30. @throws AppError `validation_failed` over 92 */
export function chooseRange(
  asked: { from?: string | undefined; to?: string | undefined },
  periodStart: Date | null,
  now: Date,
): DayRange {
  const today = dayOf(now)
  if (asked.from === undefined && asked.to === undefined && periodStart !== null) {
    // An instance with a slow clock can see a period that begins tomorrow.
    const first = dayOf(periodStart)
    return { from: first, to: first > today ? first : today, period: periodStart }
  }
  const to = asked.to ?? today
  const from = asked.from ?? daysBefore(to, DAYS_USUAL - 1)
  if (from > to) throw refused('must not be after `to`, which defaults to today')
  if (from < daysBefore(to, DAYS_MAX - 1))
    throw refused(`must be within the ${DAYS_MAX} days that end with \`to\``)
  return { from, to, period: null }
}

function refused(reason: string): AppError {
  return validationError([{ path: 'from', message: `from ${reason}` }])
}

function daysBefore(day: string, days: number): string {
  return dayOf(new Date(Date.parse(`${day}T00:00:00.000Z`) - days * DAY_MS))
}
