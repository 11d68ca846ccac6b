import { Status, type Tone } from '../../ui/status.tsx'
import type { SyncRun } from './source-words.ts'

const STATES: Record<SyncRun['status'], { tone: Tone; word: string }> = {
  queued: { tone: 'busy', word: 'Starting' },
  running: { tone: 'busy', word: 'Running' },
  succeeded: { tone: 'good', word: 'Succeeded' },
  failed: { tone: 'bad', word: 'Failed' },
}

export function RunStatus({ run }: { run: SyncRun }) {
  const { tone, word } = STATES[run.status]
  return <Status tone={tone}>{word}</Status>
}
