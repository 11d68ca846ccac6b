import type { Schemas } from '../api/client.ts'
import classes from './item-facts.module.css'
import { isFile, originName } from '../api/origin.ts'
import { providerName } from '../api/provider-list.ts'
import { OriginSign } from './provider.tsx'
import { RelativeTime } from './relative-time.tsx'

export type ShownItem = Pick<
  Schemas['SourceItem'],
  'url' | 'sourceKind' | 'authorName' | 'sourceUpdatedAt' | 'sourceCreatedAt' | 'updatedAt' | 'metadata'
>

/** An item's origin, kind, author, and time; `item` is undefined while it loads. */
export function ItemFacts({ provider, item }: { provider: string; item: ShownItem | undefined }) {
  return (
    <span className={classes.facts}>
      <span>
        <OriginSign item={item ? { ...item, provider } : { provider, url: null, isFile: false }} />
        {item ? originName({ ...item, provider }) : (providerName(provider) ?? provider)}
      </span>
      {item && !isFile({ ...item, provider }) && <span>{item.sourceKind}</span>}
      {item && item.authorName !== null && <span>by {item.authorName}</span>}
      {item && (
        <span>
          {dateOf(item).verb} <RelativeTime at={dateOf(item).at} />
        </span>
      )}
    </span>
  )
}

/** The date by which the service sorts and filters items. */
function dateOf({ sourceUpdatedAt, sourceCreatedAt, updatedAt }: ShownItem): { verb: string; at: string } {
  if (sourceUpdatedAt !== null) return { verb: 'updated', at: sourceUpdatedAt }
  if (sourceCreatedAt !== null) return { verb: 'written', at: sourceCreatedAt }
  return { verb: 'stored', at: updatedAt }
}
