import { Button, Group, Text } from '@mantine/core'
import { ChevronLeft, ChevronRight } from 'lucide-react'

/** Which of the citations is open, and the ways to the one before and after it. */
export function CitationPager({
  at,
  numbers,
  isCited,
  onGo,
}: {
  at: number
  numbers: readonly number[]
  /** Whether an answer cites them; else a search found them. */
  isCited: boolean
  onGo: (number: number) => void
}) {
  const place = numbers.indexOf(at)
  if (place === -1 || numbers.length < 2) return null
  const [before, after] = [numbers[place - 1], numbers[place + 1]]
  const noun = isCited ? 'citation' : 'result'
  return (
    <Group gap="xs" mb="sm" role="group" aria-label={isCited ? 'Citations' : 'Results'}>
      <Button
        variant="default"
        size="compact-sm"
        leftSection={<ChevronLeft size={14} aria-hidden />}
        disabled={before === undefined}
        onClick={() => before !== undefined && onGo(before)}
      >
        Previous {noun}
      </Button>
      <Text size="sm" role="status">
        {place + 1} of {numbers.length}
      </Text>
      <Button
        variant="default"
        size="compact-sm"
        rightSection={<ChevronRight size={14} aria-hidden />}
        disabled={after === undefined}
        onClick={() => after !== undefined && onGo(after)}
      >
        Next {noun}
      </Button>
    </Group>
  )
}
