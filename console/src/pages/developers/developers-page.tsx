import { Code } from '@mantine/core'
import { KeyRound } from 'lucide-react'
import { DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Reading } from '../../ui/reading.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { useApiKeys } from './use-api-keys.ts'

/** The keys by which agents and programs come in. */
export function DevelopersPage() {
  const keys = useApiKeys()
  return (
    <>
      <PageHeader title="Developers" text="The keys by which your agents and programs use this memory." />
      <Panel isFlush>
        <Reading query={keys}>
          {(rows) =>
            rows.length === 0 ? (
              <EmptyState
                icon={KeyRound}
                title="No keys yet"
                text="A key lets one agent or program in, for the actions and providers that you choose."
              />
            ) : (
              <DataTable
                label="API keys"
                rows={rows}
                rowKey={({ id }) => id}
                columns={[
                  { label: 'Name', cell: ({ name }) => name },
                  { label: 'Key', cell: ({ prefix }) => <Code>{prefix}…</Code> },
                  { label: 'For', cell: ({ actorType }) => actorType },
                  { label: 'Created', cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
                  {
                    label: 'Last used',
                    cell: ({ lastUsedAt }) =>
                      lastUsedAt === null ? 'Never' : <RelativeTime at={lastUsedAt} />,
                  },
                ]}
              />
            )
          }
        </Reading>
      </Panel>
    </>
  )
}
