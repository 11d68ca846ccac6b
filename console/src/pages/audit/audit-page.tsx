import { UnstyledButton } from '@mantine/core'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Activity } from 'lucide-react'
import { useState } from 'react'
import { type Schemas, unwrap } from '../../api/client.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { EndOfList } from '../../ui/end-of-list.tsx'
import { ErrorNotice } from '../../ui/error-state.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Reading } from '../../ui/reading.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { usePages } from '../../ui/use-pages.ts'
import type { AuditFilters } from './audit-filters.ts'
import classes from './audit-page.module.css'
import { describeAction } from './audit-words.ts'
import { EventDetails } from './event-details.tsx'
import { ExportMenu, ExportNotice, useExport } from './export-menu.tsx'
import { FilterBar } from './filter-bar.tsx'
import { useActors } from './use-actors.ts'

type AuditEvent = Schemas['AuditEvent']

const route = getRouteApi('/admins/audit')
const SHOWN_AT_ONCE = 50

/** Who did what, newest first, without an end; what the filters let through, to read or as a file. */
export function AuditPage() {
  const filters = route.useSearch()
  const navigate = useNavigate()
  const actors = useActors()
  const { run, bytes } = useExport(filters)
  const filter = (search: AuditFilters): void => void navigate({ to: '/audit', search, replace: true })
  return (
    <>
      <PageHeader
        title="Audit"
        text="Actions of people and keys, newest first."
        action={<ExportMenu isBusy={run.isPending} onChoose={(format) => run.mutate(format)} />}
      />
      {run.error && <ErrorNotice error={run.error} />}
      <ExportNotice isBusy={run.isPending} bytes={bytes} total={run.data ?? null} />
      <FilterBar filters={filters} actors={actors} onChange={filter} />
      <Trail filters={filters} actors={actors} onFilter={filter} />
    </>
  )
}

function Trail({
  filters,
  actors,
  onFilter,
}: {
  filters: AuditFilters
  actors: ReturnType<typeof useActors>
  onFilter: (filters: AuditFilters) => void
}) {
  const events = useTrail(filters)
  const [open, setOpen] = useState<AuditEvent | null>(null)
  return (
    <Panel isFlush>
      <Reading query={events}>
        {() =>
          events.rows.length === 0 ? (
            <NothingThere isFiltered={Object.keys(filters).length > 0} />
          ) : (
            <>
              <DataTable
                label="Audit events"
                rows={events.rows}
                rowKey={({ id }) => id}
                columns={[
                  {
                    label: 'Action',
                    cell: (event) => (
                      <UnstyledButton className={classes.action ?? ''} onClick={() => setOpen(event)}>
                        {describeAction(event.action)}
                      </UnstyledButton>
                    ),
                  },
                  { label: 'Actor', cell: (event) => actors.nameOf(event) },
                  { label: 'Target', cell: ({ targetType }) => targetType.replaceAll('_', ' ') },
                  { label: 'When', cell: ({ createdAt }) => <RelativeTime at={createdAt} />, isAtEnd: true },
                ]}
              />
              <EndOfList pages={events} />
            </>
          )
        }
      </Reading>
      <EventDetails
        event={open}
        actor={open === null ? '' : actors.nameOf(open)}
        onFilter={(chosen) => {
          setOpen(null)
          onFilter(chosen)
        }}
        onClose={() => setOpen(null)}
      />
    </Panel>
  )
}

function NothingThere({ isFiltered }: { isFiltered: boolean }) {
  return isFiltered ? (
    <EmptyState icon={Activity} title="No results" text="No event matches the filters." />
  ) : (
    <EmptyState
      icon={Activity}
      title="No events yet"
      text="Retrievals and changes by people and keys appear here."
    />
  )
}

function useTrail(filters: AuditFilters) {
  const { api, organization } = useWorkspace()
  return usePages<AuditEvent>({
    queryKey: [organization.id, 'audit-events', filters],
    async read(cursor, signal) {
      const query = { limit: SHOWN_AT_ONCE, ...filters, ...(cursor === undefined ? {} : { cursor }) }
      const page = await unwrap(api.GET('/v1/console/audit-events', { params: { query }, signal }))
      return { rows: page.auditEvents, nextCursor: page.nextCursor ?? null }
    },
  })
}
