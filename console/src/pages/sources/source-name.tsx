import { TextLink } from '../../ui/links.tsx'
import { ProviderIcon } from '../../ui/provider.tsx'
import classes from './source-name.module.css'
import type { Source } from './source-words.ts'

/** A source by its provider's icon and its name, which leads to its page. */
export function SourceName({ source: { id, displayName, provider } }: { source: Source }) {
  return (
    <span className={classes.name}>
      <ProviderIcon id={provider} />
      <TextLink to="/sources/$sourceId" params={{ sourceId: id }} className={classes.link ?? ''}>
        {displayName}
      </TextLink>
    </span>
  )
}
