import { Badge, Code, Group } from '@mantine/core'
import type { Schemas } from '../../api/client.ts'
import { useConsole } from '../../session/context.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { formatNumber } from '../../ui/format.ts'
import { numberColumn } from '../../ui/number-column.ts'
import { TextLink } from '../../ui/links.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { Status, type Tone } from '../../ui/status.tsx'
import { requestCurl } from './request-curl.ts'
import classes from './request-log-panel.module.css'

type LoggedRequest = Schemas['LoggedRequest']

/** Logged requests, with a link to the key of each. */
export function RequestTable({
  requests,
  isOfKey = false,
}: {
  requests: readonly LoggedRequest[]
  /** All requests are of the key that the page names. */
  isOfKey?: boolean
}) {
  const { config } = useConsole()
  return (
    <DataTable
      label="Requests"
      rows={requests}
      rowKey={({ requestId }) => requestId}
      isCompact
      columns={[
        { label: 'Request', cell: (request) => <Called request={request} /> },
        { label: 'Status', cell: ({ status }) => <Status tone={toneOf(status)}>{String(status)}</Status> },
        ...(isOfKey ? [] : [KEY]),
        { label: 'Duration', cell: ({ durationMs }) => `${formatNumber(durationMs)} ms`, isAtEnd: true },
        numberColumn('Credits', ({ credits }: LoggedRequest) => credits, 'credit'),
        { label: 'When', cell: ({ answeredAt }) => <RelativeTime at={answeredAt} />, isAtEnd: true },
        {
          label: 'Actions',
          isAction: true,
          isAtEnd: true,
          cell: (request) => (
            <span data-corner>
              <CopyButton value={requestCurl(config.publicUrl, request)} label="Copy as curl" />
            </span>
          ),
        },
      ]}
    />
  )
}

const KEY: Column<LoggedRequest> = {
  label: 'Key',
  isShort: true,
  cell: ({ apiKeyId, keyName }) =>
    keyName === null ? (
      'A deleted key'
    ) : (
      <TextLink to="/developers/keys/$keyId" params={{ keyId: apiKeyId }} inherit>
        {keyName}
      </TextLink>
    ),
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
