import { Tooltip } from '@mantine/core'
import type { Schemas } from '../../api/client.ts'
import { count, formatNumber } from '../../ui/format.ts'
import { formatDay } from '../../ui/relative-time.tsx'
import type { UsageBars } from './usage-bars.ts'
import classes from './usage-columns.module.css'

/** A day is no wider, so that few of them make no walls. */
const DAY_REM = 4.5

/** A column for each day, in the colours of its series, with what they mean below. */
export function UsageColumns({
  label,
  usage,
  bars,
  unit,
  isLow = false,
}: {
  /** What the columns are, for screen readers. */
  label: string
  usage: Pick<Schemas['Usage'], 'from' | 'to' | 'isCapped'>
  bars: UsageBars
  /** What one of it is called: "credit". */
  unit: string
  /** Half as high, where it is not what the page is for. */
  isLow?: boolean
}) {
  return (
    <>
      <div style={{ maxWidth: `${bars.days.length * DAY_REM}rem` }}>
        <ol className={classes.chart} data-low={isLow} aria-label={label}>
          {bars.days.map((day) => (
            <Day key={day.date} day={day} bars={bars} unit={unit} />
          ))}
        </ol>
        <div className={classes.ends}>
          <span>{formatDay(usage.from)}</span>
          {usage.to !== usage.from && <span>{formatDay(usage.to)}</span>}
        </div>
      </div>
      <ul className={classes.legend} aria-label="Legend">
        {bars.series.map(({ name, amount }, at) => (
          <li key={name} className={classes.key} data-series={at}>
            {name}: {formatNumber(amount)}
          </li>
        ))}
      </ul>
      {usage.isCapped && <p>The chart is incomplete: this period has more data than it can show.</p>}
    </>
  )
}

function Day({ day, bars, unit }: { day: UsageBars['days'][number]; bars: UsageBars; unit: string }) {
  const label = `${formatDay(day.date)}: ${count(day.total, unit)}`
  return (
    <Tooltip label={label}>
      <li className={classes.day} aria-label={label}>
        {bars.series.map(({ name }, at) => {
          const amount = day.amounts[at] ?? 0
          if (amount === 0) return null
          const height = `${(amount / bars.highest) * 100}%`
          return <span key={name} className={classes.part} data-series={at} style={{ height }} />
        })}
      </li>
    </Tooltip>
  )
}
