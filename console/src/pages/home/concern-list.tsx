import { TriangleAlert } from 'lucide-react'
import { count } from '../../ui/format.ts'
import { ButtonLink, TextLink } from '../../ui/links.tsx'
import { Panel } from '../../ui/panel.tsx'
import { MendButton } from '../sources/mend-button.tsx'
import { useLiveRuns } from '../sources/use-runs.ts'
import type { Concern } from './attention.ts'
import classes from './concern-list.module.css'

/** Of more the list of sources tells. */
const SHOWN_MAX = 6

/** What needs somebody, each with the button that mends it, or the way to the page where that is done. */
export function ConcernList({ concerns }: { concerns: readonly Concern[] }) {
  // Followed here, so that a source that was mended leaves the list by itself.
  const { data: runs } = useLiveRuns()
  if (concerns.length === 0) return null
  return (
    <Panel title="Needs attention" isFlush>
      <ul className={classes.list}>
        {concerns.slice(0, SHOWN_MAX).map((concern) => (
          <li key={concern.id} className={classes.concern}>
            <TriangleAlert className={classes.sign} size={18} aria-hidden />
            <div className={classes.words}>
              <span className={classes.title}>
                {'source' in concern ? (
                  <TextLink
                    to="/sources/$sourceId"
                    params={{ sourceId: concern.source.id }}
                    className={classes.link ?? ''}
                  >
                    {concern.title}
                  </TextLink>
                ) : (
                  concern.title
                )}
              </span>
              <span className={classes.text}>{concern.text}</span>
            </div>
            {'source' in concern ? (
              <MendButton
                source={concern.source}
                run={runs?.find(({ connectorId }) => connectorId === concern.source.id)}
              />
            ) : (
              <ButtonLink to={concern.to} size="xs" variant="default">
                {concern.action}
              </ButtonLink>
            )}
          </li>
        ))}
      </ul>
      {concerns.length > SHOWN_MAX && (
        <div className={classes.more}>
          {`And ${count(concerns.length - SHOWN_MAX, 'more concern')}.`}
          <ButtonLink to="/sources" size="xs" variant="default">
            See all sources
          </ButtonLink>
        </div>
      )}
    </Panel>
  )
}
