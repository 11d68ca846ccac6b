import { TextLink } from '../../ui/links.tsx'
import { FileIcon, ProviderIcon } from '../../ui/provider.tsx'
import classes from './source-name.module.css'
import { nameOf, type Source } from './source-words.ts'

/** The provider's icon and the source's name, linked to its page, with `text` below it. */
export function SourceName({ source, text }: { source: Source; text?: string }) {
  return (
    <span className={classes.name}>
      {nameOf(source) === 'Files' ? <FileIcon /> : <ProviderIcon id={source.provider} />}
      <span className={classes.words}>
        <TextLink
          to="/sources/$sourceId"
          params={{ sourceId: source.id }}
          className={classes.link ?? ''}
          data-opens-row
        >
          {nameOf(source)}
        </TextLink>
        {text !== undefined && <span className={classes.text}>{text}</span>}
      </span>
    </span>
  )
}
