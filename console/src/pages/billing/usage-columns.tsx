import { Tooltip } from '@mantine/core'
import type { Schemas } from '../../api/client.ts'
import { count, formatNumber } from '../../ui/format.ts'
import { formatDay } from '../../ui/relative-time.tsx'
import type { UsageBars } from './usage-bars.ts'
import classes from './usage-columns.module.css'

/** The maximum width of a day, so that a few days do not fill the chart. */
const DAY_REM = 4.5

/** A stacked column for each day, with a legend below. */
export function UsageColumns({
  label,
  usage,
  bars,
  unit,
  isLow = false,
}: {
  /** The accessible name of the chart. */
  label: string
  usage: Pick<Schemas['Usage'], 'from' | 'to' | 'isCapped'>
  bars: UsageBars
  /** The unit in the singular: "credit". */
  unit: string
  /** Half the height, for pages where the chart is secondary. */
  isLow?: boolean
}) {
  const width = { maxWidth: `${bars.days.length * DAY_REM}rem` }
  return (
    <>
      <div className={classes.highest} aria-hidden>
        {count(bars.highest, unit)}
      </div>
      <div className={classes.frame}>
        <ol className={classes.chart} data-low={isLow} aria-label={label} style={width}>
          {bars.days.map((day) => (
            <Day key={day.date} day={day} bars={bars} unit={unit} />
          ))}
        </ol>
      </div>
      <div className={classes.ends} style={width}>
        <span>{formatDay(usage.from)}</span>
        {usage.to !== usage.from && <span>{formatDay(usage.to)}</span>}
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
