import { SegmentedControl, Tooltip } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ChartColumn } from 'lucide-react'
import { useState } from 'react'
import { type Schemas, unwrap } from '../../api/client.ts'
import { useWorkspace } from '../../app/workspace.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { count, formatNumber } from '../../ui/format.ts'
import { Panel } from '../../ui/panel.tsx'
import { Reading } from '../../ui/reading.tsx'
import { type UsageBars, usageBars, type UsageBy } from './usage-bars.ts'
import classes from './usage-chart.module.css'

/** The credits of the current period by day: by kind of answer, or by who asked. */
export function UsageChart() {
  const { api, organization } = useWorkspace()
  const [by, setBy] = useState<UsageBy>('surface')
  const usage = useQuery({
    queryKey: [organization.id, 'usage'],
    queryFn: ({ signal }) => unwrap(api.GET('/v1/console/usage', { signal })),
  })
  return (
    <Panel
      title="Credits by day"
      text="Of this period; days in UTC."
      action={
        <SegmentedControl
          size="xs"
          aria-label="How credits are divided"
          data={[
            { value: 'surface', label: 'By kind' },
            { value: 'caller', label: 'By key or person' },
          ]}
          value={by}
          onChange={(value) => setBy(value === 'caller' ? 'caller' : 'surface')}
        />
      }
    >
      <Reading query={usage}>
        {(read) =>
          read.days.length === 0 ? (
            <EmptyState
              icon={ChartColumn}
              title="Nothing was asked in this period yet"
              text="Each search, context and answer that succeeds takes one credit."
            />
          ) : (
            <Chart usage={read} bars={usageBars(read, by)} />
          )
        }
      </Reading>
    </Panel>
  )
}

function Chart({ usage, bars }: { usage: Schemas['Usage']; bars: UsageBars }) {
  return (
    <>
      <ol className={classes.chart} aria-label="Credits by day">
        {bars.days.map((day) => (
          <Day key={day.date} day={day} bars={bars} />
        ))}
      </ol>
      <div className={classes.ends}>
        <span>{usage.from}</span>
        <span>{usage.to}</span>
      </div>
      <ul className={classes.legend} aria-label="What the colours mean">
        {bars.series.map(({ name, credits }, at) => (
          <li key={name} className={classes.key} data-series={at}>
            {name}: {formatNumber(credits)}
          </li>
        ))}
      </ul>
      {usage.isCapped && (
        <p>There is more than can be shown at once: the figures of the chart are not whole.</p>
      )}
    </>
  )
}

function Day({ day, bars }: { day: UsageBars['days'][number]; bars: UsageBars }) {
  const label = `${day.date}: ${count(day.total, 'credit')}`
  return (
    <Tooltip label={label}>
      <li className={classes.day} aria-label={label}>
        {bars.series.map(({ name }, at) => {
          const credits = day.credits[at] ?? 0
          if (credits === 0) return null
          const height = `${(credits / bars.highest) * 100}%`
          return <span key={name} className={classes.part} data-series={at} style={{ height }} />
        })}
      </li>
    </Tooltip>
  )
}
