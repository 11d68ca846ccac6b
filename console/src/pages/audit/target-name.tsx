import { TextLink } from '../../ui/links.tsx'
import classes from './audit-page.module.css'
import type { Target } from './target-words.ts'

export function TargetName({ target: { name, page } }: { target: Target }) {
  return (
    <span className={classes.target}>
      {page === null ? (
        name
      ) : (
        <TextLink {...page} inherit>
          {name}
        </TextLink>
      )}
    </span>
  )
}
