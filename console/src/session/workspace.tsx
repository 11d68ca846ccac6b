import { Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { createContext, type ReactNode, use, useMemo, useState } from 'react'
import { type Api, createApi, type Schemas, unwrap } from '../api/client.ts'
import { ErrorState } from '../ui/error-state.tsx'
import { PageSkeleton } from '../ui/skeletons.tsx'
import { useConsole } from './context.tsx'
import { FirstWorkspacePage } from './first-workspace-page.tsx'
import { GatePage } from './gate-page.tsx'
import { ME, useUserApi } from './user-api.ts'
import classes from './workspace.module.css'

export type Organization = Schemas['OwnOrganization']

interface Workspace {
  organization: Organization
  organizations: readonly Organization[]
  user: Schemas['User']
  /** The routes for this user in this workspace. */
  api: Api
  /** Whether the user can manage keys, sources, billing, and the audit log. */
  isAdmin: boolean
  choose(organizationId: string): void
}

const CHOSEN = 'memory-console.workspace'
const WorkspaceContext = createContext<Workspace | null>(null)

/** The signed-in user and the open workspace. */
export function useWorkspace(): Workspace {
  const found = use(WorkspaceContext)
  if (found === null) throw new Error('there is no WorkspaceProvider above')
  return found
}

/**
 * Provides the signed-in user and the open workspace: the one last used in this browser, else the first. Users without
 * a workspace are asked to create one.
 */
export function WorkspaceProvider({ children }: { children: ReactNode }) {
  const { session } = useConsole()
  const userApi = useUserApi()
  const [chosen, setChosen] = useState(rememberedWorkspace)
  const me = useQuery({
    queryKey: ME,
    queryFn: ({ signal }) => unwrap(userApi.GET('/v1/console/me', { signal })),
  })
  const organizations = me.data?.organizations ?? []
  const organization = organizations.find(({ id }) => id === chosen) ?? organizations[0]
  const organizationId = organization?.id ?? null
  const api = useMemo(() => createApi(session, organizationId), [session, organizationId])
  if (me.isPending)
    return (
      <div className={classes.waiting}>
        <div className={classes.page}>
          <PageSkeleton />
        </div>
      </div>
    )
  if (me.isError)
    return (
      <GatePage title="Workspace not loaded">
        <Title order={1}>Workspace not loaded</Title>
        <ErrorState error={me.error} onRetry={() => void me.refetch()} />
      </GatePage>
    )
  const choose = (id: string): void => {
    rememberWorkspace(id)
    setChosen(id)
  }
  if (organization === undefined) return <FirstWorkspacePage onMade={choose} />
  const workspace: Workspace = {
    organization,
    organizations,
    user: me.data.user,
    api,
    isAdmin: organization.role !== 'member',
    choose,
  }
  return <WorkspaceContext value={workspace}>{children}</WorkspaceContext>
}

function rememberedWorkspace(): string | null {
  try {
    return localStorage.getItem(CHOSEN)
  } catch {
    return null
  }
}

/** Stores the workspace as the current one. If storage is disabled, the choice lasts until the page reloads. */
export function rememberWorkspace(id: string): void {
  try {
    localStorage.setItem(CHOSEN, id)
  } catch {
    // Storage is optional.
  }
}
