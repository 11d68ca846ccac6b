import { SegmentedControl } from '@mantine/core'
import { ChartColumn } from 'lucide-react'
import { useState } from 'react'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Reading } from '../../ui/reading.tsx'
import { usageBars, type UsageBy } from './usage-bars.ts'
import { UsageColumns } from './usage-columns.tsx'
import { useUsage } from './use-billing.ts'

/** Credits of the current period by day, divided by surface or by caller. */
export function UsageChart() {
  const [by, setBy] = useState<UsageBy>('surface')
  const usage = useUsage()
  return (
    <Panel
      title="Credits by day"
      text="This period; days in UTC."
      action={
        <SegmentedControl
          size="xs"
          aria-label="Group by"
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
              title="No usage in this period"
              text="Each successful search, context and answer costs one credit."
            />
          ) : (
            <UsageColumns
              label="Credits by day"
              usage={read}
              bars={usageBars(read, by, 'credits')}
              unit="credit"
            />
          )
        }
      </Reading>
    </Panel>
  )
}
