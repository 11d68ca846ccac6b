import { Button, Modal, Stack, Text } from '@mantine/core'
import { History } from 'lucide-react'
import { useState } from 'react'
import { DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { EndOfList } from '../../ui/end-of-list.tsx'
import { TooMany } from '../../ui/error-state.tsx'
import { formatNumber } from '../../ui/format.ts'
import { Panel } from '../../ui/panel.tsx'
import { Reading } from '../../ui/reading.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { RunStatus } from './run-status.tsx'
import classes from './runs-panel.module.css'
import { durationOf, fixOfItem, fixOfRun, type Source, type SyncRun } from './source-words.ts'
import { type useRunsOf, useSyncRun } from './use-runs.ts'

/** The runs of a source, newest first, with the provider's message for failed ones. */
export function RunsPanel({ source, runs }: { source: Source; runs: ReturnType<typeof useRunsOf> }) {
  const [open, setOpen] = useState<SyncRun | null>(null)
  return (
    <Panel title="History" isFlush>
      <Reading query={runs}>
        {() =>
          runs.rows.length === 0 ? (
            <EmptyState icon={History} title="No runs yet" text="Syncs are listed here." />
          ) : (
            <DataTable
              label="Runs"
              rows={runs.rows}
              rowKey={({ id }) => id}
              columns={[
                { label: 'State', cell: (run) => <RunCell run={run} /> },
                { label: 'Started', cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
                { label: 'Duration', cell: (run) => durationOf(run) ?? '–', isAtEnd: true },
                {
                  label: 'Found',
                  cell: ({ itemsDiscovered }) => formatNumber(itemsDiscovered),
                  isAtEnd: true,
                },
                { label: 'Stored', cell: ({ itemsIngested }) => formatNumber(itemsIngested), isAtEnd: true },
                { label: 'Removed', cell: ({ itemsDeleted }) => formatNumber(itemsDeleted), isAtEnd: true },
                {
                  label: 'Details',
                  isAction: true,
                  cell: (run) => (
                    <Button size="compact-xs" variant="default" onClick={() => setOpen(run)}>
                      Details
                    </Button>
                  ),
                  isAtEnd: true,
                },
              ]}
            />
          )
        }
      </Reading>
      {runs.data && <EndOfList pages={runs} />}
      {open && <RunDialog source={source} run={open} onClose={() => setOpen(null)} />}
    </Panel>
  )
}

function RunCell({ run }: { run: SyncRun }) {
  return (
    <div className={classes.state}>
      <RunStatus run={run} />
      {run.fullResync && <span className={classes.words}>full sync</span>}
      {run.errorMessage !== null && <span className={classes.words}>{run.errorMessage}</span>}
    </div>
  )
}

function RunDialog({ source, run, onClose }: { source: Source; run: SyncRun; onClose: () => void }) {
  const details = useSyncRun(run.id)
  return (
    <Modal opened onClose={onClose} title="Run details" size="lg">
      <Reading query={details}>
        {({ syncRun, itemsFailed, failures, nextRunAt, needsReconnection }) => (
          <Stack gap="sm">
            <RunCell run={syncRun} />
            <Text size="sm">
              {`${formatNumber(syncRun.itemsDiscovered)} found, ${formatNumber(syncRun.itemsIngested)} stored, ${formatNumber(syncRun.itemsDeleted)} deleted, ${formatNumber(itemsFailed)} could not be read.`}
            </Text>
            {syncRun.status === 'failed' && (
              <Text size="sm">{fixOfRun(source.provider, needsReconnection)}</Text>
            )}
            {nextRunAt !== null && (
              <Text size="sm" c="dimmed">
                Next sync: <RelativeTime at={nextRunAt} />
              </Text>
            )}
            {failures.length > 0 && (
              <DataTable
                label="Items that could not be read"
                rows={failures}
                rowKey={({ externalId }) => externalId}
                columns={[
                  {
                    label: 'Item',
                    cell: ({ externalId }) => <span className={classes.item}>{externalId}</span>,
                  },
                  { label: 'Reason', cell: ({ message }) => message },
                  { label: 'Fix', cell: ({ message }) => fixOfItem(source.provider, message) },
                ]}
              />
            )}
            {itemsFailed > failures.length && (
              <TooMany
                shown={failures.length}
                hint={`${formatNumber(itemsFailed)} items could not be read in total.`}
              />
            )}
          </Stack>
        )}
      </Reading>
    </Modal>
  )
}
