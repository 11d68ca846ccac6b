import { ActionIcon, Badge, Code, Group, Tooltip } from '@mantine/core'
import { RotateCw, ScrollText } from 'lucide-react'
import type { Schemas } from '../../api/client.ts'
import { useConsole } from '../../session/context.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { EndOfList } from '../../ui/end-of-list.tsx'
import { formatNumber } from '../../ui/format.ts'
import { Panel } from '../../ui/panel.tsx'
import { Reading } from '../../ui/reading.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { Status, type Tone } from '../../ui/status.tsx'
import type { RequestFilters } from './developers-search.ts'
import { requestCurl } from './request-curl.ts'
import { RequestFilterBar } from './request-filter-bar.tsx'
import classes from './request-log-panel.module.css'
import { useRequests } from './use-requests.ts'

type LoggedRequest = Schemas['LoggedRequest']

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
      text="Requests of API keys in the last 7 days, without contents."
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

function RequestTable({ requests }: { requests: readonly LoggedRequest[] }) {
  const { config } = useConsole()
  return (
    <DataTable
      label="Requests"
      rows={requests}
      rowKey={({ requestId }) => requestId}
      columns={[
        { label: 'Request', cell: (request) => <Called request={request} /> },
        { label: 'Status', cell: ({ status }) => <Status tone={toneOf(status)}>{String(status)}</Status> },
        { label: 'Key', cell: ({ keyName }) => keyName ?? 'A deleted key' },
        { label: 'Duration', cell: ({ durationMs }) => `${formatNumber(durationMs)} ms`, isAtEnd: true },
        { label: 'Credits', cell: ({ credits }) => formatNumber(credits), isAtEnd: true },
        { label: 'When', cell: ({ answeredAt }) => <RelativeTime at={answeredAt} />, isAtEnd: true },
        {
          label: 'Actions',
          isAction: true,
          isAtEnd: true,
          cell: (request) => (
            <CopyButton value={requestCurl(config.publicUrl, request)} label="Copy as curl" />
          ),
        },
      ]}
    />
  )
}

function Called({ request: { method, path, isMcp, requestId } }: { request: LoggedRequest }) {
  return (
    <div className={classes.called}>
      <Group gap={6}>
        <span>
          <span className={classes.method}>{method}</span> {path}
        </span>
        {isMcp && (
          <Badge variant="default" size="xs" tt="none" fw={500}>
            MCP
          </Badge>
        )}
      </Group>
      <span className={classes.id}>
        <Code>{requestId}</Code>
        <CopyButton value={requestId} label="Copy the request ID" />
      </span>
    </div>
  )
}

const FIRST_REFUSAL = 400
const FIRST_FAULT = 500

function toneOf(status: number): Tone {
  if (status >= FIRST_FAULT) return 'bad'
  return status >= FIRST_REFUSAL ? 'waiting' : 'good'
}
