import { ActionIcon, Tooltip } from '@mantine/core'
import { RotateCw, ScrollText } from 'lucide-react'
import { EmptyState } from '../../ui/empty-state.tsx'
import { EndOfList } from '../../ui/end-of-list.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Reading } from '../../ui/reading.tsx'
import type { RequestFilters } from './developers-search.ts'
import { RequestFilterBar } from './request-filter-bar.tsx'
import { RequestTable } from './request-table.tsx'
import { useRequests } from './use-requests.ts'
import { REQUESTS_KEPT_DAYS } from '../../../../src/kernel/retention.ts'

/** Requests made with keys, newest first. */
export function RequestLogPanel({
  filters,
  onFilter,
}: {
  filters: RequestFilters
  onFilter: (filters: RequestFilters) => void
}) {
  const requests = useRequests(filters)
  return (
    <Panel
      title="Request log"
      text={`Requests of API keys in the last ${REQUESTS_KEPT_DAYS} days, without contents.`}
      isFlush
      action={
        <Tooltip label="Refresh">
          <ActionIcon
            variant="default"
            size="lg"
            aria-label="Refresh the request log"
            loading={requests.isRefetching}
            onClick={() => void requests.refetch()}
          >
            <RotateCw size={15} aria-hidden />
          </ActionIcon>
        </Tooltip>
      }
    >
      <RequestFilterBar filters={filters} onChange={onFilter} />
      <Reading query={requests}>
        {() =>
          requests.rows.length === 0 ? (
            <EmptyState
              icon={ScrollText}
              title={Object.keys(filters).length > 0 ? 'No results' : 'No requests yet'}
              text={
                Object.keys(filters).length > 0
                  ? 'No request matches the filters.'
                  : 'Requests appear here once an agent or a program uses a key.'
              }
            />
          ) : (
            <>
              <RequestTable requests={requests.rows} />
              <EndOfList pages={requests} />
            </>
          )
        }
      </Reading>
    </Panel>
  )
}
