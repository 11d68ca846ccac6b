import { Box } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ErrorState } from './error-state.tsx'
import { LinesSkeleton } from './skeletons.tsx'

/** What was read; a skeleton until it is there, and the service's words when it cannot be. */
export function Reading<T>({
  query,
  children,
}: {
  query: Pick<UseQueryResult<T>, 'data' | 'error' | 'refetch'>
  children: (data: T) => ReactNode
}) {
  if (query.data !== undefined) return children(query.data)
  return (
    <Box p="lg">
      {query.error ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <LinesSkeleton />
      )}
    </Box>
  )
}
