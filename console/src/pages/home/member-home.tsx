import { Stack } from '@mantine/core'
import { FileText } from 'lucide-react'
import { useQuery } from '@tanstack/react-query'
import { unwrap } from '../../api/client.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ButtonLink, SourceLink } from '../../ui/links.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Origin } from '../../ui/provider.tsx'
import { Reading } from '../../ui/reading.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { PlanNotice } from '../ask/plan-notice.tsx'
import { useOverview } from '../sources/use-sources.ts'
import { AskAbout } from './ask-about.tsx'
import { Figures } from './figures.tsx'

const NEWEST = 10

/** What came into the memory last, and the way to ask about it. */
export function MemberHome() {
  const { api, organization } = useWorkspace()
  const overview = useOverview()
  const newest = useQuery({
    queryKey: [organization.id, 'source-items', 'newest'],
    queryFn: async ({ signal }) =>
      (await unwrap(api.GET('/v1/console/source-items', { params: { query: { limit: NEWEST } }, signal })))
        .sourceItems,
  })
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
            {(items) =>
              items.length === 0 ? (
                <EmptyState
                  icon={FileText}
                  title="Nothing is stored yet"
                  text="New items appear here when an admin connects sources or imports documents."
                />
              ) : (
                <DataTable
                  label="New items"
                  rows={items}
                  rowKey={({ id }) => id}
                  columns={[
                    { label: 'Title', cell: ({ title, url }) => <SourceLink href={url}>{title}</SourceLink> },
                    { label: 'From', cell: (item) => <Origin item={item} /> },
                    {
                      label: 'Changed',
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
