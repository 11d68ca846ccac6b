import { formatNumber } from '../../ui/format.ts'
import { TextLink } from '../../ui/links.tsx'
import classes from './skipped-link.module.css'
import type { Source } from './source-words.ts'

/** How many items the source could not read, linked to their list. Renders nothing if there are none. */
export function SkippedLink({ source: { id, itemsSkipped = 0 } }: { source: Source }) {
  if (itemsSkipped === 0) return null
  return (
    <TextLink
      to="/sources/$sourceId"
      params={{ sourceId: id }}
      search={{ tab: 'skipped' }}
      size="sm"
      className={classes.link ?? ''}
    >
      {`${formatNumber(itemsSkipped)} skipped`}
    </TextLink>
  )
}
