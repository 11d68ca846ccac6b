import { Code } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Activity } from 'lucide-react'
import { unwrap } from '../../api/client.ts'
import { useWorkspace } from '../../app/workspace.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { TooMany } from '../../ui/error-state.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Reading } from '../../ui/reading.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'

const SHOWN_MAX = 100

/** Who did what, newest first. */
export function AuditPage() {
  const { api, organization, user } = useWorkspace()
  const events = useQuery({
    queryKey: [organization.id, 'audit-events'],
    queryFn: async ({ signal }) =>
      (await unwrap(api.GET('/v1/console/audit-events', { params: { query: { limit: SHOWN_MAX } }, signal })))
        .auditEvents,
  })
  return (
    <>
      <PageHeader title="Audit" text="What people and keys did here, newest first." />
      <Panel isFlush>
        <Reading query={events}>
          {(rows) =>
            rows.length === 0 ? (
              <EmptyState
                icon={Activity}
                title="Nothing has happened yet"
                text="Every question of an agent, every change of a person or a key is listed here from now on."
              />
            ) : (
              <>
                <DataTable
                  label="Audit events"
                  rows={rows}
                  rowKey={({ id }) => id}
                  columns={[
                    { label: 'Action', cell: ({ action }) => <Code>{action}</Code> },
                    { label: 'By', cell: (event) => actorOf(event, user.id) },
                    { label: 'What', cell: ({ targetType }) => targetType.replaceAll('_', ' ') },
                    { label: 'When', cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
                  ]}
                />
                {rows.length === SHOWN_MAX && (
                  <TooMany shown={SHOWN_MAX} hint="The API lists up to 500 of them." />
                )}
              </>
            )
          }
        </Reading>
      </Panel>
    </>
  )
}

function actorOf(
  { actorUserId, actorApiKeyId }: { actorUserId: string | null; actorApiKeyId: string | null },
  ownId: string,
): string {
  if (actorUserId === ownId) return 'You'
  if (actorUserId !== null) return 'A person'
  return actorApiKeyId === null ? 'The service' : 'A key'
}
