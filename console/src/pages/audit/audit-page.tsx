import { Group } from '@mantine/core'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Activity } from 'lucide-react'
import { useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { EndOfList } from '../../ui/end-of-list.tsx'
import { ErrorNotice } from '../../ui/error-state.tsx'
import { ButtonLink } from '../../ui/links.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Reading } from '../../ui/reading.tsx'
import { useApiKeys } from '../developers/use-api-keys.ts'
import { type AuditFilters, readFilters } from './audit-filters.ts'
import { EventDetails } from './event-details.tsx'
import { ExportMenu, ExportNotice, useExport } from './export-menu.tsx'
import { FilterBar } from './filter-bar.tsx'
import { mergeGroups } from './merge-groups.ts'
import { TrailTable } from './trail-table.tsx'
import { useActors } from './use-actors.ts'
import { useTargets } from './use-targets.ts'
import { useTrail } from './use-trail.ts'

type AuditEvent = Schemas['AuditEvent']

const route = getRouteApi('/admins/audit')

/** The audit trail, newest first, with filters and an export. */
export function AuditPage() {
  const filters = readFilters(route.useSearch())
  const navigate = useNavigate()
  const actors = useActors()
  const key = useApiKeys().data?.find(({ id }) => id === filters.actor)
  const { run, bytes } = useExport(filters)
  const filter = (search: AuditFilters): void => void navigate({ to: '/audit', search, replace: true })
  return (
    <>
      <PageHeader
        title="Audit"
        text="Actions of people and keys, newest first."
        action={
          <Group gap="xs">
            {/* The trail has no requests that were refused. */}
            <ButtonLink
              to="/developers"
              search={{ tab: 'requests', status: '4xx', ...(key && { key: key.id }) }}
              variant="default"
            >
              Refused requests
            </ButtonLink>
            <ExportMenu isBusy={run.isPending} onChoose={(format) => run.mutate(format)} />
          </Group>
        }
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
  const targetOf = useTargets()
  const [open, setOpen] = useState<AuditEvent | null>(null)
  return (
    <Panel isFlush>
      <Reading query={actors.isReady ? events : { ...events, data: undefined }}>
        {() =>
          events.rows.length === 0 ? (
            <NothingThere isFiltered={Object.keys(filters).length > 0} />
          ) : (
            <>
              <TrailTable
                groups={mergeGroups(events.rows)}
                filters={filters}
                words={{ actors, targetOf, onOpen: setOpen }}
              />
              <EndOfList pages={events} />
            </>
          )
        }
      </Reading>
      <EventDetails
        event={open}
        actor={open === null ? '' : actors.nameOf(open)}
        target={open === null ? null : targetOf(open)}
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
