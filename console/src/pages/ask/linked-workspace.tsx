import { useNavigate } from '@tanstack/react-router'
import { Lock } from 'lucide-react'
import { useEffect, useEffectEvent } from 'react'
import { useWorkspace } from '../../session/workspace.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Panel } from '../../ui/panel.tsx'
import { PageSkeleton } from '../../ui/skeletons.tsx'
import { type AskSearch, without } from './ask-search.ts'

/** Opens the workspace of a shared link, and removes it from the URL so that another can be chosen. */
export function LinkedWorkspace({ id }: { id: string }) {
  const { organizations, choose } = useWorkspace()
  const navigate = useNavigate({ from: '/ask' })
  const isOwn = organizations.some((one) => one.id === id)
  const open = useEffectEvent((workspace: string) => {
    choose(workspace)
    void navigate({ search: (search: AskSearch) => without(search, 'workspace'), replace: true })
  })
  useEffect(() => {
    if (isOwn) open(id)
  }, [isOwn, id])
  if (isOwn) return <PageSkeleton />
  return (
    <>
      <PageHeader title="Ask" />
      <Panel>
        <EmptyState
          icon={Lock}
          title="This link is for another workspace"
          text="You are not a member of it. Ask the person who sent the link to invite you, or sign in with the account that is a member."
        />
      </Panel>
    </>
  )
}
