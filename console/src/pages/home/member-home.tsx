import { Stack } from '@mantine/core'
import { FileText } from 'lucide-react'
import { useOverview } from '../../data/use-overview.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ButtonLink, ItemTitle } from '../../ui/links.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Origin } from '../../ui/provider.tsx'
import { Reading } from '../../ui/reading.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { PlanNotice } from '../ask/plan-notice.tsx'
import { useItems } from '../sources/use-items.ts'
import { AskAbout } from './ask-about.tsx'
import { Figures } from './figures.tsx'

const NEWEST = 10

/** The newest items, and suggested questions about them. */
export function MemberHome() {
  const { organization } = useWorkspace()
  const overview = useOverview()
  const newest = useItems({})
  return (
    <>
      <PageHeader
        title={organization.name}
        text="Ask questions and get answers with citations."
        action={<ButtonLink to="/ask">Ask a question</ButtonLink>}
      />
      <Stack gap="lg">
        <PlanNotice />
        {overview.data && overview.data.items > 0 && <Figures overview={overview.data} />}
        {organization.hasPlan && <AskAbout />}
        <Panel title="New items" isFlush>
          <Reading query={newest}>
            {() =>
              newest.rows.length === 0 ? (
                <EmptyState
                  icon={FileText}
                  title="Nothing is stored yet"
                  text="New items appear here when an admin connects sources or imports documents."
                />
              ) : (
                <DataTable
                  label="New items"
                  rows={newest.rows.slice(0, NEWEST)}
                  rowKey={({ id }) => id}
                  isCompact
                  columns={[
                    { label: 'Title', cell: (item) => <ItemTitle {...item} /> },
                    { label: 'From', cell: (item) => <Origin item={item} /> },
                    {
                      label: 'Stored',
                      cell: ({ updatedAt }) => <RelativeTime at={updatedAt} />,
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
