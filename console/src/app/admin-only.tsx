import { Lock } from 'lucide-react'
import type { ReactNode } from 'react'
import { EmptyState } from '../ui/empty-state.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { Panel } from '../ui/panel.tsx'
import { useWorkspace } from './workspace.tsx'

/** Shows what is below to admins and owners; tells a member who can open it for them. */
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
          text="Members ask and search. Sources, keys, billing and the audit trail are for its admins and owners; ask one of them to make you an admin if you need this page."
        />
      </Panel>
    </>
  )
}
