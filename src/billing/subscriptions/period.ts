export interface Period {
  start: Date
  end: Date
}

/** The billing period that contains `at`: whole months in UTC from the anchor, or the month's last day. */
export function periodAt(anchor: Date, at: Date): Period {
  const months =
    12 * (at.getUTCFullYear() - anchor.getUTCFullYear()) + at.getUTCMonth() - anchor.getUTCMonth()
  const whole = monthsAfter(anchor, months) > at ? months - 1 : months
  return { start: monthsAfter(anchor, whole), end: monthsAfter(anchor, whole + 1) }
}

function monthsAfter(anchor: Date, months: number): Date {
  const year = anchor.getUTCFullYear()
  const month = anchor.getUTCMonth() + months
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  const moment = new Date(anchor)
  moment.setUTCFullYear(year, month, Math.min(anchor.getUTCDate(), lastDay))
  return moment
}
