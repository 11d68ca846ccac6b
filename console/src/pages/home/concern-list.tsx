import { TriangleAlert } from 'lucide-react'
import { ButtonLink } from '../../ui/links.tsx'
import { Panel } from '../../ui/panel.tsx'
import type { Concern } from './attention.ts'
import classes from './concern-list.module.css'

/** What needs somebody, each with the way to the page where it is mended. */
export function ConcernList({ concerns }: { concerns: readonly Concern[] }) {
  if (concerns.length === 0) return null
  return (
    <Panel title="Needs attention" isFlush>
      <ul className={classes.list}>
        {concerns.map(({ id, title, text, to, action }) => (
          <li key={id} className={classes.concern}>
            <TriangleAlert className={classes.sign} size={18} aria-hidden />
            <div className={classes.words}>
              <span className={classes.title}>{title}</span>
              <span className={classes.text}>{text}</span>
            </div>
            <ButtonLink to={to} size="xs" variant="default">
              {action}
            </ButtonLink>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
