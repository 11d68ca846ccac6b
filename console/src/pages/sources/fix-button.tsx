import { Button } from '@mantine/core'
import { ErrorNotice } from '../../ui/error-state.tsx'
import { providerName } from '../../api/provider-list.ts'
import { needsReconnecting } from './failure-words.ts'
import { useConnecting } from './connect-dialog.tsx'
import { isActive, type Source, type SyncRun } from './source-words.ts'
import { useStartRun } from './use-runs.ts'

/** The fix for a failing or outdated source: reconnect it if its access has ended, otherwise sync it. */
export function FixButton({ source, run }: { source: Source; run: SyncRun | undefined }) {
  const [connect, sync] = [useConnecting(source.provider), useStartRun(source.id)]
  const error = connect.error ?? sync.error
  const name = providerName(source.provider) ?? 'the account'
  return (
    <div>
      {needsReconnecting(source) ? (
        <Button size="xs" onClick={connect.begin} loading={connect.isPending}>
          Reconnect {name}
        </Button>
      ) : (
        <Button
          size="xs"
          onClick={() => sync.mutate({ fullResync: false })}
          loading={sync.isPending || (run !== undefined && isActive(run))}
        >
          Sync now
        </Button>
      )}
      {connect.dialog}
      {error && <ErrorNotice error={error} />}
    </div>
  )
}
