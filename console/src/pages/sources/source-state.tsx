import { explainFailure } from './failure-words.ts'
import { FixButton } from './fix-button.tsx'
import classes from './source-state.module.css'
import { SourceStatus } from './source-status.tsx'
import { isActive, type Source, type SyncRun } from './source-words.ts'

/** A source's state in the list; for a failing one also the reason and the button that fixes it. */
export function SourceState({ source, run }: { source: Source; run: SyncRun | undefined }) {
  const isFailing = source.status === 'error' && !(run && isActive(run))
  return (
    <div className={classes.state}>
      <SourceStatus source={source} run={run} />
      {isFailing && (
        <>
          <span className={classes.reason}>{explainFailure(source.provider, source.errorCode).happened}</span>
          <FixButton source={source} run={run} />
        </>
      )}
    </div>
  )
}
