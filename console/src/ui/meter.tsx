import { Progress } from '@mantine/core'

const WARN_FROM = 0.8

/** The used share of an allowance; nothing without an allowance. */
export function Meter({ used, included, label }: { used: number; included: number; label: string }) {
  if (included === 0) return null
  const share = Math.min(1, used / included)
  return (
    <Progress.Root size="sm" mt={8}>
      <Progress.Section
        value={share * 100}
        color={share >= 1 ? 'red' : share >= WARN_FROM ? 'orange' : 'accent'}
        aria-label={label}
      />
    </Progress.Root>
  )
}
