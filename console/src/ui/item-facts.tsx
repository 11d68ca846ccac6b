import type { Schemas } from '../api/client.ts'
import classes from './item-facts.module.css'
import { isFile, originName } from '../api/origin.ts'
import { providerName } from '../api/provider-list.ts'
import { OriginSign } from './provider.tsx'
import { RelativeTime } from './relative-time.tsx'

export type ShownItem = Pick<
  Schemas['SourceItem'],
  'url' | 'sourceKind' | 'authorName' | 'sourceUpdatedAt' | 'syncedAt' | 'metadata'
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
          {item.sourceUpdatedAt === null ? 'stored ' : 'updated '}
          <RelativeTime at={item.sourceUpdatedAt ?? item.syncedAt} />
        </span>
      )}
    </span>
  )
}
