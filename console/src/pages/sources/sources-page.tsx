import { Database } from 'lucide-react'
import { OutcomeNotice } from '../../app/outcome-notice.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { formatNumber } from '../../ui/format.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Provider } from '../../ui/provider.tsx'
import { Reading } from '../../ui/reading.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { Stack } from '@mantine/core'
import { useSources } from './use-sources.ts'
import { SourceStatus } from './source-status.tsx'

/** Where the memory comes from. */
export function SourcesPage() {
  const sources = useSources()
  return (
    <>
      <PageHeader title="Sources" text="Where the memory comes from, and how fresh it is." />
      <Stack gap="lg">
        <OutcomeNotice />
        <Panel isFlush>
          <Reading query={sources}>
            {(rows) =>
              rows.length === 0 ? (
                <EmptyState
                  icon={Database}
                  title="No sources yet"
                  text="Connect Slack, Google Drive, Notion or Gmail, or push documents through the API."
                />
              ) : (
                <DataTable
                  label="Sources"
                  rows={rows}
                  rowKey={({ id }) => id}
                  columns={[
                    { label: 'Name', cell: ({ displayName }) => displayName },
                    { label: 'Provider', cell: ({ provider }) => <Provider id={provider} /> },
                    { label: 'State', cell: (source) => <SourceStatus source={source} /> },
                    {
                      label: 'Last synced',
                      cell: ({ lastSyncedAt }) =>
                        lastSyncedAt === null ? 'Never' : <RelativeTime at={lastSyncedAt} />,
                    },
                    {
                      label: 'Items',
                      cell: ({ sourceItemCount }) => formatNumber(sourceItemCount),
                      isAtEnd: true,
                    },
                  ]}
                />
              )
            }
          </Reading>
        </Panel>
      </Stack>
    </>
  )
}
