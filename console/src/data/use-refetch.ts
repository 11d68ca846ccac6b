import { useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { useWorkspace } from '../session/workspace.tsx'

/** Invalidates the workspace's queries of these names. Visible ones refetch immediately, others on their next use. */
export function useRefetch(): (...names: string[]) => Promise<void> {
  const queries = useQueryClient()
  const { organization } = useWorkspace()
  return useCallback(
    async (...names) => {
      await Promise.all(names.map((name) => queries.invalidateQueries({ queryKey: [organization.id, name] })))
    },
    [queries, organization.id],
  )
}
