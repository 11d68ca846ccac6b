import { Skeleton, Stack } from '@mantine/core'

/** A placeholder for lines of text. */
export function LinesSkeleton({ lines = 4 }: { lines?: number }) {
  return (
    <Stack gap="sm" role="status" aria-busy="true" aria-label="Loading">
      {Array.from({ length: lines }, (_, line) => (
        <Skeleton key={line} height={14} radius="sm" width={line % 3 === 2 ? '62%' : '100%'} />
      ))}
    </Stack>
  )
}

/** A placeholder for a page: its heading and first panel. */
export function PageSkeleton() {
  return (
    <Stack gap="xl" p="xl" role="status" aria-busy="true" aria-label="Loading">
      <Skeleton height={28} width={220} radius="sm" />
      <Skeleton height={180} radius="lg" />
      <Skeleton height={120} radius="lg" />
    </Stack>
  )
}
