import { Button, Group, Text } from '@mantine/core'
import { ChevronLeft, ChevronRight } from 'lucide-react'

/** The citation that an arrow key opens; undefined for other keys, and in elements that use arrow keys themselves. */
export function keyedCitation(
  { key, altKey, ctrlKey, metaKey, shiftKey, target }: KeyboardEvent,
  at: number | undefined,
  numbers: readonly number[],
): number | undefined {
  const step = key === 'ArrowLeft' ? -1 : key === 'ArrowRight' ? 1 : 0
  if (step === 0 || at === undefined || altKey || ctrlKey || metaKey || shiftKey) return undefined
  if (target instanceof Element && target.closest('input, textarea, pre, [tabindex="0"]')) return undefined
  const place = numbers.indexOf(at)
  return place === -1 ? undefined : numbers[place + step]
}

/** The position of the open citation, with buttons for the previous and next ones. */
export function CitationPager({
  at,
  numbers,
  isCited,
  onGo,
}: {
  at: number
  numbers: readonly number[]
  /** Whether an answer cites the passages. Otherwise they are search results. */
  isCited: boolean
  onGo: (number: number) => void
}) {
  const place = numbers.indexOf(at)
  if (place === -1 || numbers.length < 2) return null
  const [before, after] = [numbers[place - 1], numbers[place + 1]]
  const noun = isCited ? 'citation' : 'result'
  return (
    <Group gap="xs" role="group" aria-label={isCited ? 'Citations' : 'Results'}>
      <Button
        variant="default"
        size="compact-sm"
        leftSection={<ChevronLeft size={14} aria-hidden />}
        aria-label={`Previous ${noun}`}
        aria-keyshortcuts="ArrowLeft"
        {...endOf(before)}
        onClick={() => before !== undefined && onGo(before)}
      >
        Previous
      </Button>
      <Text size="sm" role="status">
        {place + 1} of {numbers.length}
      </Text>
      <Button
        variant="default"
        size="compact-sm"
        rightSection={<ChevronRight size={14} aria-hidden />}
        aria-label={`Next ${noun}`}
        aria-keyshortcuts="ArrowRight"
        {...endOf(after)}
        onClick={() => after !== undefined && onGo(after)}
      >
        Next
      </Button>
    </Group>
  )
}

/** Disables a button without the `disabled` attribute, which would drop the focus and with it the arrow keys. */
function endOf(number: number | undefined) {
  return number === undefined ? { 'aria-disabled': true, 'data-disabled': true } : {}
}
