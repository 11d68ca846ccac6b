import type { Schemas } from '../../api/client.ts'

type Entry = Schemas['UsageLine']

/** The series of a day: by surface or by caller. */
export type UsageBy = 'surface' | 'caller'
export type UsageOf = 'credits' | 'requests'

export interface UsageBars {
  /** Largest first. If there are more than six, the five largest and `Others`. */
  series: { name: string; amount: number }[]
  /** All days of the period, including those without usage. `amounts` has the order of `series`. */
  days: { date: string; amounts: number[]; total: number }[]
  /** The highest daily total, at least 1. */
  highest: number
}

const SERIES_MAX = 5
const DAY_MS = 24 * 60 * 60_000

/** Credits or requests by day and series. `from` and `to` are inclusive UTC days. */
export function usageBars(
  { from, to, days }: Pick<Schemas['Usage'], 'from' | 'to' | 'days'>,
  by: UsageBy,
  of: UsageOf,
): UsageBars {
  const totals = new Map<string, number>()
  for (const entry of days) totals.set(nameOf(entry, by), (totals.get(nameOf(entry, by)) ?? 0) + entry[of])
  const ranked = [...totals].toSorted(([, one], [, other]) => other - one)
  const named = ranked.length <= SERIES_MAX + 1 ? ranked : ranked.slice(0, SERIES_MAX)
  const rest = ranked.slice(named.length)
  const series = [
    ...named.map(([name, amount]) => ({ name, amount })),
    ...(rest.length === 0
      ? []
      : [{ name: 'Others', amount: rest.reduce((sum, [, amount]) => sum + amount, 0) }]),
  ]
  const place = new Map(named.map(([name], at) => [name, at]))
  const byDate = new Map(datesOf(from, to).map((date) => [date, series.map(() => 0)]))
  for (const entry of days) {
    const amounts = byDate.get(entry.date)
    const at = place.get(nameOf(entry, by)) ?? series.length - 1
    if (amounts) amounts[at] = (amounts[at] ?? 0) + entry[of]
  }
  const bars = [...byDate].map(([date, amounts]) => ({
    date,
    amounts,
    total: amounts.reduce((sum, one) => sum + one, 0),
  }))
  return { series, days: bars, highest: bars.reduce((most, { total }) => Math.max(most, total), 1) }
}

function nameOf({ name, surface, isMcp }: Entry, by: UsageBy): string {
  if (by === 'caller') return name ?? 'A former member'
  return isMcp ? `${surface} by MCP` : surface
}

function datesOf(from: string, to: string): string[] {
  const [first, last] = [Date.parse(from), Date.parse(to)]
  const length = Math.max(0, Math.round((last - first) / DAY_MS) + 1)
  return Array.from({ length }, (_, at) => new Date(first + at * DAY_MS).toISOString().slice(0, 10))
}
