import { Box, Button } from '@mantine/core'
import { ErrorNotice } from './error-state.tsx'
import { LinesSkeleton } from './skeletons.tsx'
import type { Pages } from './use-pages.ts'

/** The end of a paged list: loads the next page on scroll or by button, and shows loading errors. */
export function EndOfList({
  pages,
  isAsked = false,
}: {
  pages: Pick<Pages, 'endRef' | 'error' | 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>
  /** Loads more only by button, so that content below the list stays reachable. */
  isAsked?: boolean
}) {
  if (!pages.hasNextPage) return null
  if (pages.isFetchingNextPage)
    return (
      <Box p="lg">
        <LinesSkeleton lines={3} />
      </Box>
    )
  return (
    <Box p="md" ref={pages.error || isAsked ? undefined : pages.endRef}>
      {pages.error && <ErrorNotice error={pages.error} />}
      <Button
        variant="default"
        fullWidth
        mt={pages.error ? 'sm' : 0}
        onClick={() => void pages.fetchNextPage()}
      >
        Show more
      </Button>
    </Box>
  )
}
