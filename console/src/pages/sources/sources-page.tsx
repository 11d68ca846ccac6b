import { Group, Stack } from '@mantine/core'
import { Database, Plus } from 'lucide-react'
import { OutcomeNotice } from '../../app/outcome-notice.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { formatNumber } from '../../ui/format.ts'
import { ButtonLink } from '../../ui/links.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Panel } from '../../ui/panel.tsx'
import { providerName } from '../../ui/provider.tsx'
import { Reading } from '../../ui/reading.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { SourceName } from './source-name.tsx'
import { SourceStatus } from './source-status.tsx'
import { isPushOnly, type Source } from './source-words.ts'
import { useLiveRuns } from './use-runs.ts'
import { useSources } from './use-sources.ts'

/** Where the memory comes from. */
export function SourcesPage() {
  const sources = useSources()
  return (
    <>
      <PageHeader
        title="Sources"
        text="Where the memory comes from, and how fresh it is."
        action={
          <Group gap="xs">
            <ButtonLink to="/sources/items" variant="default">
              Browse items
            </ButtonLink>
            <ButtonLink to="/sources/import" variant="default">
              Import files
            </ButtonLink>
            <ButtonLink to="/sources/new" leftSection={<Plus size={16} aria-hidden />}>
              Add a source
            </ButtonLink>
          </Group>
        }
      />
      <Stack gap="lg">
        <OutcomeNotice />
        <Panel isFlush>
          <Reading query={sources}>
            {(rows) =>
              rows.length === 0 ? (
                <EmptyState
                  icon={Database}
                  title="No sources yet"
                  text="Connect Slack, Google Drive, Notion or Gmail, drop files in, or push documents through the API."
                  action={<ButtonLink to="/sources/new">Add the first source</ButtonLink>}
                />
              ) : (
                <SourceTable sources={rows} />
              )
            }
          </Reading>
        </Panel>
      </Stack>
    </>
  )
}

function SourceTable({ sources }: { sources: readonly Source[] }) {
  const { data: runs } = useLiveRuns()
  return (
    <DataTable
      label="Sources"
      rows={sources}
      rowKey={({ id }) => id}
      columns={[
        {
          label: 'Name',
          cell: (source) => <SourceName source={source} />,
        },
        {
          label: 'Reads',
          cell: (source) =>
            isPushOnly(source) ? 'Files and pushes' : `${providerName(source.provider)} account`,
        },
        {
          label: 'State',
          cell: (source) => (
            <SourceStatus source={source} run={runs?.find(({ connectorId }) => connectorId === source.id)} />
          ),
        },
        {
          label: 'Last synced',
          cell: (source) => {
            if (isPushOnly(source)) return 'As it is pushed'
            return source.lastSyncedAt === null ? 'Never' : <RelativeTime at={source.lastSyncedAt} />
          },
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
