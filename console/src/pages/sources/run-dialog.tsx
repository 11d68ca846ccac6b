import { Modal, Stack, Text } from '@mantine/core'
import type { Schemas } from '../../api/client.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { TooMany } from '../../ui/error-state.tsx'
import { formatNumber } from '../../ui/format.ts'
import { Reading } from '../../ui/reading.tsx'
import { NextTime } from '../../ui/relative-time.tsx'
import { useReturnFocus } from '../../ui/use-return-focus.ts'
import { explainFailure, type FailureCode } from './failure-words.ts'
import { ItemName } from './item-name.tsx'
import { RunCell } from './run-cell.tsx'
import classes from './runs-panel.module.css'
import { countsOf, fixOfItem, skippedBy, type Source, type SyncRun } from './source-words.ts'
import { useSyncRun } from './use-runs.ts'

type Left = Schemas['SyncRunFailure']

/** The results of a run, and the skipped items with reasons. */
export function RunDialog({ source, run, onClose }: { source: Source; run: SyncRun; onClose: () => void }) {
  useReturnFocus()
  const details = useSyncRun(run.id)
  return (
    <Modal opened onClose={onClose} title="Run details" size="lg">
      <Reading query={details}>
        {({ syncRun, errorCode, failures, skipped, nextRunAt }) => (
          <Stack gap="sm">
            <RunCell run={syncRun} />
            <Text size="sm">{countsOf(syncRun)}.</Text>
            {syncRun.status === 'failed' && <Explanation source={source} code={errorCode} />}
            {nextRunAt !== null && (
              <Text size="sm" c="dimmed">
                Next sync: <NextTime at={nextRunAt} />
              </Text>
            )}
            <SkippedItems source={source} run={syncRun} failures={failures} skipped={skipped} />
          </Stack>
        )}
      </Reading>
    </Modal>
  )
}

function Explanation({ source, code }: { source: Source; code: FailureCode | null }) {
  const { happened, fix } = explainFailure(source.provider, code)
  return (
    <Text size="sm">
      {happened} {fix}
    </Text>
  )
}

function SkippedItems({
  source,
  run,
  failures,
  skipped,
}: {
  source: Source
  run: SyncRun
  failures: readonly Left[]
  skipped: readonly Left[]
}) {
  const rows = [
    ...failures.map((item) => ({ ...item, fix: fixOfItem(source.provider, item.code) })),
    ...skipped.map((item) => ({ ...item, fix: '–' })),
  ]
  if (rows.length === 0) return null
  return (
    <>
      <DataTable
        label={rows.length > skippedBy(run) ? 'Items skipped or read in part' : 'Skipped items'}
        rows={rows}
        rowKey={({ externalId }) => externalId}
        columns={[
          { label: 'Item', cell: (item) => <ItemName item={item} /> },
          { label: 'Reason', cell: ({ message }) => <span className={classes.reason}>{message}</span> },
          ...(failures.length > 0 ? [{ label: 'Fix', cell: ({ fix }: { fix: string }) => fix }] : []),
        ]}
      />
      {skippedBy(run) > rows.length && (
        <TooMany shown={rows.length} hint={`${formatNumber(skippedBy(run))} items were skipped in total.`} />
      )}
    </>
  )
}
