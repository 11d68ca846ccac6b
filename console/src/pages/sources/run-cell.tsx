import { RunStatus } from './run-status.tsx'
import classes from './runs-panel.module.css'
import type { SyncRun } from './source-words.ts'

/** The state of a run with its kind and its error. */
export function RunCell({ run }: { run: SyncRun }) {
  return (
    <div className={classes.state}>
      <RunStatus run={run} />
      {run.fullResync && <span className={classes.words}>full sync</span>}
      {run.errorMessage !== null && <span className={classes.words}>{run.errorMessage}</span>}
    </div>
  )
}
