import { Button, Group, Text } from '@mantine/core'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import classes from './citation-pager.module.css'
import type { Citation } from './marker.tsx'

/** The citation that an arrow key opens; undefined for other keys, and in elements that use arrow keys themselves. */
export function keyedCitation(
  { key, altKey, ctrlKey, metaKey, shiftKey, target }: KeyboardEvent,
  open: Citation | undefined,
  citations: readonly Citation[],
): Citation | undefined {
  const step = key === 'ArrowLeft' ? -1 : key === 'ArrowRight' ? 1 : 0
  if (step === 0 || open === undefined || altKey || ctrlKey || metaKey || shiftKey) return undefined
  if (target instanceof Element && target.closest('input, textarea, pre, [tabindex="0"]')) return undefined
  const place = placeOf(open, citations)
  return place === -1 ? undefined : citations[place + step]
}

/** The position of a citation, starting at 0. Without a marker, that of its passage's first one. */
function placeOf({ at, mention }: Citation, citations: readonly Citation[]): number {
  const exact = citations.findIndex((one) => one.at === at && one.mention === mention)
  return exact === -1 ? citations.findIndex((one) => one.at === at) : exact
}

/** The position of the open citation, with buttons for the previous and next ones. */
export function CitationPager({
  open,
  citations,
  isCited,
  onGo,
}: {
  open: Citation
  citations: readonly Citation[]
  /** Whether an answer cites the passages. Otherwise they are search results. */
  isCited: boolean
  onGo: (citation: Citation) => void
}) {
  const place = placeOf(open, citations)
  if (place === -1 || citations.length < 2) return null
  const [before, after] = [citations[place - 1], citations[place + 1]]
  const label = [...new Set(citations.map(({ at }) => at))].indexOf(open.at) + 1
  const noun = isCited ? 'citation' : 'result'
  return (
    <Group gap="xs" role="group" aria-label={isCited ? 'Citations' : 'Results'}>
      <Button
        variant="default"
        size="compact-sm"
        classNames={{ section: classes.sign ?? '' }}
        leftSection={<ChevronLeft size={14} aria-hidden />}
        aria-label={`Previous ${noun}`}
        aria-keyshortcuts="ArrowLeft"
        {...endOf(before)}
        onClick={() => before !== undefined && onGo(before)}
      >
        <span className={classes.word}>Previous</span>
      </Button>
      <Text size="sm" role="status">
        {isCited && `[${label}] · `}
        {place + 1} of {citations.length}
      </Text>
      <Button
        variant="default"
        size="compact-sm"
        classNames={{ section: classes.sign ?? '' }}
        rightSection={<ChevronRight size={14} aria-hidden />}
        aria-label={`Next ${noun}`}
        aria-keyshortcuts="ArrowRight"
        {...endOf(after)}
        onClick={() => after !== undefined && onGo(after)}
      >
        <span className={classes.word}>Next</span>
      </Button>
    </Group>
  )
}

/** Disables a button without the `disabled` attribute, which would drop the focus and with it the arrow keys. */
function endOf(citation: Citation | undefined) {
  return citation === undefined ? { 'aria-disabled': true, 'data-disabled': true } : {}
}
