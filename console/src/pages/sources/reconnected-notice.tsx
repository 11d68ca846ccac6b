import { Alert } from '@mantine/core'
import { Plug } from 'lucide-react'
import { providerName } from '../../api/provider-list.ts'
import { isActive, type Source, type SyncRun } from './source-words.ts'

/** What happens after an account was connected again. A failure of the new run is shown in its place. */
export function ReconnectedNotice({ source, run }: { source: Source; run: SyncRun | undefined }) {
  const isRunning = run !== undefined && isActive(run)
  if (source.status === 'error' && !isRunning) return null
  return (
    <Alert
      color="accent"
      icon={<Plug size={18} aria-hidden />}
      title={`${providerName(source.provider) ?? 'The account'} is connected again`}
      role="status"
    >
      {isRunning
        ? 'A sync has started and continues where the last one stopped. Stored items stay searchable meanwhile.'
        : 'The sync has caught up. The next ones start automatically.'}
    </Alert>
  )
}
