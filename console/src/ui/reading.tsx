import { Box } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ErrorState } from './error-state.tsx'
import { LinesSkeleton } from './skeletons.tsx'

/** Shows the data, a skeleton while it loads, or the service's error. */
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

/** Wraps a skeleton of another height; everything below appears with the content, without layout shifts. */
export function FirstReading({ children }: { children: ReactNode }) {
  return (
    <Box p="lg" data-reading>
      {children}
    </Box>
  )
}
