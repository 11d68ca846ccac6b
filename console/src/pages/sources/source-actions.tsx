import { ActionIcon, Button, Group, Menu } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Ellipsis, Pause, Pencil, Play, Plug, RefreshCw, Trash2 } from 'lucide-react'
import { useRef } from 'react'
import { ErrorNotice } from '../../ui/error-state.tsx'
import { ButtonLink } from '../../ui/links.tsx'
import { useConnecting } from './connect-dialog.tsx'
import { needsReconnecting } from './failure-words.ts'
import { RemoveSourceDialog } from './remove-source-dialog.tsx'
import { RenameSourceDialog } from './rename-source-dialog.tsx'
import classes from './source-actions.module.css'
import { awaitsChannels, isActive, isPushOnly, type Source, type SyncRun } from './source-words.ts'
import { useStartRun } from './use-runs.ts'
import { useChangeSource } from './use-source-changes.ts'

/** The actions of a source: the most common one as a button, the others in a menu. A failure has its own button. */
export function SourceActions({ source, run }: { source: Source; run: SyncRun | undefined }) {
  const [isRenaming, renaming] = useDisclosure(false)
  const [isRemoving, removing] = useDisclosure(false)
  const change = useChangeSource(source.id)
  const start = useStartRun(source.id)
  const connect = useConnecting(source.provider)
  const isPaused = source.status === 'disabled'
  const isRunning = run !== undefined && isActive(run)
  const error = change.error ?? start.error ?? connect.error
  return (
    <div className={classes.actions}>
      <Group gap="xs" wrap="nowrap">
        {isPushOnly(source) ? (
          <ButtonLink to="/sources/import" search={{ source: source.id }}>
            Import files
          </ButtonLink>
        ) : (
          <Button
            variant={needsReconnecting(source) || awaitsChannels(source, run) ? 'default' : 'filled'}
            onClick={() => start.mutate({ fullResync: false })}
            loading={start.isPending}
            disabled={isPaused || isRunning}
          >
            Sync now
          </Button>
        )}
        <MoreActions
          source={source}
          isRunning={isRunning}
          onRename={renaming.open}
          onRemove={removing.open}
          onSyncAll={() => start.mutate({ fullResync: true })}
          onConnect={connect.begin}
          onPause={() => change.mutate({ status: isPaused ? 'active' : 'disabled' })}
        />
      </Group>
      {error && <ErrorNotice error={error} />}
      {connect.dialog}
      {isRenaming && <RenameSourceDialog source={source} onClose={renaming.close} />}
      {isRemoving && <RemoveSourceDialog source={source} onClose={removing.close} />}
    </div>
  )
}

function MoreActions({
  source,
  isRunning,
  onRename,
  onRemove,
  onSyncAll,
  onConnect,
  onPause,
}: { source: Source; isRunning: boolean } & Record<
  'onRename' | 'onRemove' | 'onSyncAll' | 'onConnect' | 'onPause',
  () => void
>) {
  const button = useRef<HTMLButtonElement>(null)
  const isPaused = source.status === 'disabled'
  return (
    <Menu position="bottom-end" width={230}>
      <Menu.Target>
        <ActionIcon ref={button} variant="default" size={36} aria-label="More actions">
          <Ellipsis size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      {/* A dialog returns the focus to where it was, and the chosen entry disappears. */}
      <Menu.Dropdown onClickCapture={() => button.current?.focus()}>
        <Menu.Item leftSection={<Pencil size={15} aria-hidden />} onClick={onRename}>
          Rename
        </Menu.Item>
        {!isPushOnly(source) && (
          <>
            <Menu.Item
              leftSection={<RefreshCw size={15} aria-hidden />}
              onClick={onSyncAll}
              disabled={isPaused || isRunning}
            >
              Full sync
            </Menu.Item>
            <Menu.Item leftSection={<Plug size={15} aria-hidden />} onClick={onConnect}>
              Reconnect the account
            </Menu.Item>
            <Menu.Item
              leftSection={isPaused ? <Play size={15} aria-hidden /> : <Pause size={15} aria-hidden />}
              onClick={onPause}
            >
              {isPaused ? 'Resume' : 'Pause'}
            </Menu.Item>
          </>
        )}
        <Menu.Divider />
        <Menu.Item
          className={classes.danger ?? ''}
          leftSection={<Trash2 size={15} aria-hidden />}
          onClick={onRemove}
        >
          Delete
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
