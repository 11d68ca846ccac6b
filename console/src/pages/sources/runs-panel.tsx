import { Button } from '@mantine/core'
import { History } from 'lucide-react'
import { useState } from 'react'
import { DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { EndOfList } from '../../ui/end-of-list.tsx'
import { formatNumber } from '../../ui/format.ts'
import { numberColumn } from '../../ui/number-column.ts'
import { Panel } from '../../ui/panel.tsx'
import { Reading } from '../../ui/reading.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { RunCell } from './run-cell.tsx'
import { RunDialog } from './run-dialog.tsx'
import { durationOf, foundBy, skippedBy, type Source, type SyncRun } from './source-words.ts'
import type { useRunsOf } from './use-runs.ts'

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
              isCompact
              columns={[
                { label: 'State', cell: (run) => <RunCell run={run} /> },
                { label: 'Started', cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
                { label: 'Duration', cell: (run) => durationOf(run) ?? '–', isAtEnd: true },
                numberColumn('Found', foundBy, 'found', 'found'),
                numberColumn('Stored', ({ itemsIngested }: SyncRun) => itemsIngested, 'stored', 'stored'),
                numberColumn(
                  'Unchanged',
                  ({ itemsUnchanged = 0 }: SyncRun) => itemsUnchanged,
                  'unchanged',
                  'unchanged',
                ),
                numberColumn('Removed', ({ itemsDeleted }: SyncRun) => itemsDeleted, 'removed', 'removed'),
                {
                  label: 'Skipped',
                  cell: (run) => <SkippedCount run={run} onOpen={() => setOpen(run)} />,
                  unit: () => 'skipped',
                  isAtEnd: true,
                },
                {
                  label: 'Details',
                  isAction: true,
                  cell: (run) => (
                    <Button size="compact-sm" variant="default" onClick={() => setOpen(run)}>
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

function SkippedCount({ run, onOpen }: { run: SyncRun; onOpen: () => void }) {
  const skipped = skippedBy(run)
  if (skipped === 0) return '0'
  const words = formatNumber(skipped)
  return (
    <Button size="compact-sm" variant="light" onClick={onOpen} aria-label={`${words} skipped: show them`}>
      {words}
    </Button>
  )
}
