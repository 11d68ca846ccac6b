import { localDay } from '../../data/local-day.ts'
import { REQUESTS_KEPT_DAYS } from '../../../../src/kernel/retention.ts'

const dayName = new Intl.DateTimeFormat('en', { weekday: 'long', month: 'short', day: 'numeric' })

/** The days whose requests are listed, latest first, in the browser's time zone. */
export function loggedDays(now: Date): { value: string; label: string }[] {
  // The oldest request is from the middle of one day more.
  return Array.from({ length: REQUESTS_KEPT_DAYS + 1 }, (_, before) => {
    const day = new Date(now.getFullYear(), now.getMonth(), now.getDate() - before)
    return { value: localDay(day), label: ['Today', 'Yesterday'][before] ?? dayName.format(day) }
  })
}

/** When a day such as `2026-03-01` begins, and when the next one does. */
export function spanOf(day: string): { from: string; to: string } {
  const from = new Date(`${day}T00:00:00`)
  const to = new Date(from.getFullYear(), from.getMonth(), from.getDate() + 1)
  return { from: from.toISOString(), to: to.toISOString() }
}
