import type { Schemas } from '../../api/client.ts'
import { count } from '../../ui/format.ts'
import { Status, type Tone } from '../../ui/status.tsx'
import { awaitsChannels, isActive, type SyncRun } from './source-words.ts'

const STATES: Record<Schemas['Source']['status'], { tone: Tone; word: string }> = {
  pending: { tone: 'waiting', word: 'Waiting' },
  active: { tone: 'good', word: 'Active' },
  error: { tone: 'bad', word: 'Failing' },
  disabled: { tone: 'off', word: 'Paused' },
}

/** A source's state, or the progress of its active run. */
export function SourceStatus({ source, run }: { source: Schemas['Source']; run?: SyncRun | undefined }) {
  if (run && isActive(run) && source.status !== 'disabled')
    return (
      <Status tone="busy">
        {run.status === 'queued' ? 'Starting' : `Syncing, ${count(run.itemsIngested, 'item')}`}
      </Status>
    )
  const { tone, word } = STATES[source.status]
  if (awaitsChannels(source, run)) return <Status tone={tone}>Choose its channels</Status>
  return <Status tone={tone}>{word}</Status>
}
