import type { Schemas } from '../../api/client.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { numberColumn } from '../../ui/number-column.ts'
import { ButtonLink } from '../../ui/links.tsx'
import { Panel } from '../../ui/panel.tsx'
import { LastSynced } from '../sources/last-synced.tsx'
import { SourceName } from '../sources/source-name.tsx'
import { isUnused } from '../sources/source-words.ts'
import { SourceStatus } from '../sources/source-status.tsx'

const SHOWN_MAX = 6

/** The sources with the most items, each with its state and freshness. */
export function SourcesAtAGlance({ sources }: { sources: readonly Schemas['Source'][] }) {
  const used = sources.filter((source) => !isUnused(source))
  const shown = used.toSorted((one, other) => other.sourceItemCount - one.sourceItemCount).slice(0, SHOWN_MAX)
  if (shown.length === 0) return null
  return (
    <Panel
      title="Sources"
      isFlush
      action={
        <ButtonLink to="/sources" size="xs" variant="default">
          {used.length > SHOWN_MAX ? `See all ${used.length}` : 'Manage sources'}
        </ButtonLink>
      }
    >
      <DataTable
        label="Sources"
        rows={shown}
        rowKey={({ id }) => id}
        isCompact
        columns={[
          {
            label: 'Name',
            cell: (source) => <SourceName source={source} />,
          },
          { label: 'State', cell: (source) => <SourceStatus source={source} /> },
          {
            label: 'Last synced',
            cell: (source) => <LastSynced source={source} />,
          },
          numberColumn('Items', ({ sourceItemCount }: Schemas['Source']) => sourceItemCount, 'item'),
        ]}
      />
    </Panel>
  )
}
