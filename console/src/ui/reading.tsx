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
  if (query.error)
    return (
      <Box p="lg">
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      </Box>
    )
  return (
    <FirstReading>
      <LinesSkeleton />
    </FirstReading>
  )
}

/** Around a skeleton whose content has another height: everything below appears together with the content and does not move. */
export function FirstReading({ children }: { children: ReactNode }) {
  return (
    <Box p="lg" data-reading>
      {children}
    </Box>
  )
}
