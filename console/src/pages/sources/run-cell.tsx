import { Status, type Tone } from '../../ui/status.tsx'
import classes from './runs-panel.module.css'
import type { SyncRun } from './source-words.ts'

const STATES: Record<SyncRun['status'], { tone: Tone; word: string }> = {
  queued: { tone: 'busy', word: 'Starting' },
  running: { tone: 'busy', word: 'Running' },
  succeeded: { tone: 'good', word: 'Succeeded' },
  failed: { tone: 'bad', word: 'Failed' },
}

/** The state of a run with its kind and its error. */
export function RunCell({ run }: { run: SyncRun }) {
  const { tone, word } = STATES[run.status]
  return (
    <div className={classes.state}>
      <Status tone={tone}>{word}</Status>
      {run.fullResync && <span className={classes.words}>full sync</span>}
      {run.errorMessage !== null && <span className={classes.words}>{run.errorMessage}</span>}
    </div>
  )
}
