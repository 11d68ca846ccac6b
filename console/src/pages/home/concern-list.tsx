import { TriangleAlert } from 'lucide-react'
import { count } from '../../ui/format.ts'
import { ButtonLink, TextLink } from '../../ui/links.tsx'
import { Panel } from '../../ui/panel.tsx'
import { FixButton } from '../sources/fix-button.tsx'
import { explainFailure } from '../sources/failure-words.ts'
import type { Source, SyncRun } from '../sources/source-words.ts'
import { useLiveRuns } from '../sources/use-runs.ts'
import type { Concern } from './attention.ts'
import classes from './concern-list.module.css'

/** The Sources page lists the rest. */
const SHOWN_MAX = 6

/** Problems, each with a button that fixes it or a link to the page that does. */
export function ConcernList({ concerns }: { concerns: readonly Concern[] }) {
  // Polls the runs here, so that a fixed source leaves the list.
  const { data: runs } = useLiveRuns()
  const runOf = ({ id }: Source): SyncRun | undefined => runs?.find(({ connectorId }) => connectorId === id)
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
              <span className={classes.text}>
                {'source' in concern && concern.text === null ? (
                  <Fix source={concern.source} />
                ) : (
                  concern.text
                )}
              </span>
            </div>
            {'source' in concern ? (
              <FixButton source={concern.source} run={runOf(concern.source)} />
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

/** The fix for a failed run. The source's page has the provider's message. */
function Fix({ source }: { source: Source }) {
  const { happened, fix } = explainFailure(source.provider, source.errorCode)
  return `${happened} ${fix}`
}
