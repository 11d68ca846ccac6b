import { Tooltip } from '@mantine/core'
import type { Schemas } from '../../api/client.ts'
import { Status, type Tone } from '../../ui/status.tsx'

const STATES: Record<Schemas['Source']['status'], { tone: Tone; word: string }> = {
  pending: { tone: 'waiting', word: 'Waiting' },
  active: { tone: 'good', word: 'Active' },
  error: { tone: 'bad', word: 'Failing' },
  disabled: { tone: 'off', word: 'Paused' },
}

/** How a source is; where its last run failed, why. */
export function SourceStatus({ source }: { source: Schemas['Source'] }) {
  const { tone, word } = STATES[source.status]
  const status = <Status tone={tone}>{word}</Status>
  if (source.errorMessage === null) return status
  return (
    <Tooltip label={source.errorMessage} multiline maw={360}>
      <span>{status}</span>
    </Tooltip>
  )
}
