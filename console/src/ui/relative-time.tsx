import { Tooltip } from '@mantine/core'
import { useEffect, useState } from 'react'

const MINUTE_MS = 60_000
const UNITS = [
  ['year', 365 * 24 * 60],
  ['month', 30 * 24 * 60],
  ['week', 7 * 24 * 60],
  ['day', 24 * 60],
  ['hour', 60],
  ['minute', 1],
] as const
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const absolute = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' })
const dayOnly = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' })
const dateOnly = new Intl.DateTimeFormat('en', { dateStyle: 'medium' })

/** A relative time such as "3 hours ago", kept current, with the full time on hover and focus. `at` is ISO 8601. */
export function RelativeTime({ at }: { at: string }) {
  const now = useNow()
  const date = new Date(at)
  return (
    <Tooltip label={absolute.format(date)} events={{ hover: true, focus: true, touch: true }}>
      <time dateTime={at}>{describe(date, now)}</time>
    </Tooltip>
  )
}

/** A time ahead, such as "in 12 minutes"; "Soon" if it is unknown or has come. */
export function NextTime({ at }: { at: string | null }) {
  const now = useNow()
  return at === null || Date.parse(at) < now + MINUTE_MS ? 'Soon' : <RelativeTime at={at} />
}

/** Formats a date in words. `at` is ISO 8601. */
export function formatDate(at: string): string {
  return dateOnly.format(new Date(at))
}

/** Formats a UTC day in short: "Nov 6". `day` is YYYY-MM-DD. */
export function formatDay(day: string): string {
  return dayOnly.format(new Date(day))
}

/** Formats a date and time in words. `at` is ISO 8601. */
export function formatDateTime(at: string): string {
  return absolute.format(new Date(at))
}

function describe(date: Date, now: number): string {
  const difference = (date.getTime() - now) / MINUTE_MS
  // The clock ticks once a minute, so an event of this minute can lie after it.
  const minutes = difference > 0 ? Math.trunc(difference) : Math.round(difference)
  const unit = UNITS.find(([, length]) => Math.abs(minutes) >= length)
  if (unit === undefined) return 'just now'
  const amount = minutes / unit[1]
  return relative.format(amount > 0 ? Math.round(amount) : Math.trunc(amount), unit[0])
}

/** The current time in epoch milliseconds, updated every minute. */
export function useNow(): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), MINUTE_MS)
    return () => clearInterval(timer)
  }, [])
  return now
}
