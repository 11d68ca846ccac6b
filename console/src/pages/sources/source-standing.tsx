import { Alert, Button, Group, Progress, Text } from '@mantine/core'
import { CircleAlert, Pause } from 'lucide-react'
import { ErrorNotice } from '../../ui/error-state.tsx'
import { formatNumber } from '../../ui/format.ts'
import { Panel } from '../../ui/panel.tsx'
import { providerName } from '../../api/provider-list.ts'
import { formatDate, NextTime, RelativeTime } from '../../ui/relative-time.tsx'
import { Stat, Stats } from '../../ui/stat.tsx'
import { LastSynced } from './last-synced.tsx'
import { explainFailure } from './failure-words.ts'
import { FixButton } from './fix-button.tsx'
import classes from './source-standing.module.css'
import { SkippedLink } from './skipped-link.tsx'
import { SourceStatus } from './source-status.tsx'
import { awaitsChannels, countsOf, isActive, isPushOnly, type Source, type SyncRun } from './source-words.ts'
import { useSyncRun } from './use-runs.ts'
import { useChangeSource } from './use-source-changes.ts'

/** A source's state: the running sync, its error with a fix, figures, and the next sync. */
export function SourceStanding({
  source,
  run,
  waitingUntil,
}: {
  source: Source
  run: SyncRun | undefined
  waitingUntil: string | null
}) {
  const { data: details } = useSyncRun(run?.id)
  return (
    <>
      {source.status === 'error' && <Failure source={source} run={run} />}
      {source.status === 'disabled' && <Paused source={source} />}
      {run && isActive(run) && (
        <Running run={run} provider={providerName(source.provider)} waitingUntil={waitingUntil} />
      )}
      <Stats>
        <Stat label="Items" value={formatNumber(source.sourceItemCount)}>
          <span className={classes.standing}>
            <SourceStatus source={source} run={run} />
            <SkippedLink source={source} />
          </span>
        </Stat>
        <Stat label="Last synced" value={<LastSynced source={source} />}>
          {isPushOnly(source)
            ? 'It has no account to sync with'
            : source.lastSyncedAt === null
              ? 'No sync has succeeded so far'
              : formatDate(source.lastSyncedAt)}
        </Stat>
        {!isPushOnly(source) && <NextSync source={source} run={run} at={details?.nextRunAt ?? null} />}
      </Stats>
    </>
  )
}

/** Keeps the height of the line. */
const NOTHING = '\u00a0'

function NextSync({ source, run, at }: { source: Source; run: SyncRun | undefined; at: string | null }) {
  if (source.status === 'disabled')
    return (
      <Stat label="Next sync" value="Paused">
        Resume the source to sync it
      </Stat>
    )
  if (run && isActive(run))
    return (
      <Stat label="Next sync" value="Running now">
        {formatNumber(run.itemsIngested)} stored so far
      </Stat>
    )
  if (awaitsChannels(source, run))
    return (
      <Stat label="Next sync" value="After your choice">
        Choose channels to start the first sync
      </Stat>
    )
  return (
    <Stat label="Next sync" value={<NextTime at={at} />}>
      {at === null ? NOTHING : formatDate(at)}
    </Stat>
  )
}

function Failure({ source, run }: { source: Source; run: SyncRun | undefined }) {
  const { happened, fix, isCuredByReconnecting, isGeneral } = explainFailure(
    source.provider,
    source.errorCode,
  )
  return (
    <Alert color="red" icon={<CircleAlert size={18} aria-hidden />} title={happened}>
      <Text size="sm" mb="xs">
        {fix}
      </Text>
      {isGeneral && source.errorMessage !== null && (
        <Text size="sm" mb="sm" className={classes.reported ?? ''}>
          Reported error: {source.errorMessage}
        </Text>
      )}
      {isCuredByReconnecting && <FixButton source={source} run={run} />}
    </Alert>
  )
}

function Paused({ source }: { source: Source }) {
  const change = useChangeSource(source.id)
  return (
    <Alert color="gray" icon={<Pause size={18} aria-hidden />} title="This source is paused">
      <Group justify="space-between">
        <Text size="sm">Its items stay searchable. Syncing stops until you resume it.</Text>
        <Button size="xs" onClick={() => change.mutate({ status: 'active' })} loading={change.isPending}>
          Resume
        </Button>
      </Group>
      {change.error && <ErrorNotice error={change.error} />}
    </Alert>
  )
}

function Running({
  run,
  provider = 'The provider',
  waitingUntil,
}: {
  run: SyncRun
  provider: string | undefined
  waitingUntil: string | null
}) {
  const words = run.status === 'queued' ? 'Starting' : countsOf(run)
  return (
    <Panel title={run.fullResync ? 'Full sync running' : 'Syncing'}>
      <Progress value={100} striped animated size="sm" aria-label="The sync continues" />
      <Text size="sm" c="dimmed" mt="xs" role="status">
        {words}
      </Text>
      {waitingUntil !== null && (
        <Text size="sm" mt={4}>
          {provider} asked to wait; the sync continues <RelativeTime at={waitingUntil} />.
        </Text>
      )}
    </Panel>
  )
}
