import { Lock } from 'lucide-react'
import type { ReactNode } from 'react'
import { EmptyState } from '../ui/empty-state.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { Panel } from '../ui/panel.tsx'
import { useWorkspace } from '../session/workspace.tsx'

/** Shows its content to admins and owners. Members see whom to ask. */
export function AdminOnly({ children }: { children: ReactNode }) {
  const { isAdmin, organization } = useWorkspace()
  if (isAdmin) return children
  return (
    <>
      <PageHeader title="For admins only" />
      <Panel>
        <EmptyState
          icon={Lock}
          title={`You are a member of ${organization.name}`}
          text="Only admins and owners can open this page. Ask one of them to change your role."
        />
      </Panel>
    </>
  )
}
