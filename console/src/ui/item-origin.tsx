import { providerName } from '../api/provider-list.ts'
import { ItemFacts, type ShownItem } from './item-facts.tsx'
import classes from './item-origin.module.css'
import { SourceLink } from './links.tsx'

/** Where an item comes from, with a link to its original. `item` is undefined while it loads. */
export function ItemOrigin({
  provider,
  url,
  item,
}: {
  provider: string
  url: string | null
  item: ShownItem | undefined
}) {
  return (
    <div className={classes.origin}>
      {provider !== '' && <ItemFacts provider={provider} item={item} />}
      {url !== null && url !== '' && (
        <SourceLink href={url} plain={url}>
          Open the original
          {provider !== '' && ` at ${providerName(provider) ?? provider}`}
        </SourceLink>
      )}
    </div>
  )
}
