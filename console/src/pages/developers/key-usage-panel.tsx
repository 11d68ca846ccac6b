import { ChartColumn } from 'lucide-react'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Reading } from '../../ui/reading.tsx'
import { usageBars } from '../billing/usage-bars.ts'
import { UsageColumns } from '../billing/usage-columns.tsx'
import { useUsage } from '../billing/use-billing.ts'

/** Charged requests by day: by key, or by surface if one key is chosen. */
export function KeyUsagePanel({ apiKeyId }: { apiKeyId: string | undefined }) {
  const usage = useUsage()
  return (
    <Panel
      title={apiKeyId === undefined ? 'Usage by key' : 'Usage'}
      text="Searches, contexts and answers in this period; days in UTC."
    >
      <Reading query={usage}>
        {(read) => {
          const days = read.days.filter((line) =>
            apiKeyId === undefined ? line.apiKeyId !== null : line.apiKeyId === apiKeyId,
          )
          return days.length === 0 ? (
            <EmptyState
              icon={ChartColumn}
              title="No usage in this period"
              text="Each successful search, context and answer costs one credit."
            />
          ) : (
            <UsageColumns
              label="Requests by day"
              usage={read}
              bars={usageBars({ ...read, days }, apiKeyId === undefined ? 'caller' : 'surface', 'requests')}
              unit="request"
              isLow
            />
          )
        }}
      </Reading>
    </Panel>
  )
}
