import { useCallback } from 'react'
import { unwrap } from '../../api/client.ts'
import { useRead } from '../../data/use-api.ts'
import { useRefetch } from '../../data/use-refetch.ts'
import { useWorkspace } from '../../session/workspace.tsx'

/** The workspace's sources. Admins only: the service refuses members. */
export function useSources() {
  const { isAdmin } = useWorkspace()
  return useRead(
    ['sources'],
    async (api, signal) => (await unwrap(api.GET('/v1/console/sources', { signal }))).sources,
    { enabled: isAdmin },
  )
}

/** The providers with what each needs to connect. Admins only. */
export function useConnectors() {
  const { isAdmin } = useWorkspace()
  return useRead(
    ['connectors'],
    async (api, signal) => (await unwrap(api.GET('/v1/console/connectors', { signal }))).connectors,
    { enabled: isAdmin },
  )
}

/** Refetches all data that depends on the stored items. */
export function useRefreshStored(): () => Promise<void> {
  const refetch = useRefetch()
  return useCallback(() => refetch('sources', 'overview', 'source-items', 'billing'), [refetch])
}
