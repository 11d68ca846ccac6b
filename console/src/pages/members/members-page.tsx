import { roleName } from '../../app/workspace-switcher.tsx'
import { useWorkspace } from '../../app/workspace.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Panel } from '../../ui/panel.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'

/** Who is signed in, and what they are in their workspaces. */
export function MembersPage() {
  const { user, organizations } = useWorkspace()
  return (
    <>
      <PageHeader title="Members" text={`You are signed in as ${user.email ?? user.name ?? user.id}.`} />
      <Panel title="Your workspaces" isFlush>
        <DataTable
          label="Your workspaces"
          rows={organizations}
          rowKey={({ id }) => id}
          columns={[
            { label: 'Workspace', cell: ({ name }) => name },
            { label: 'Your role', cell: ({ role }) => roleName(role) },
            { label: 'Created', cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
          ]}
        />
      </Panel>
    </>
  )
}
