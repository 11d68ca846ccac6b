import { CircleCheck } from 'lucide-react'
import { unwrap } from '../../api/client.ts'
import { useRead } from '../../data/use-api.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { TooMany } from '../../ui/error-state.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Reading } from '../../ui/reading.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { ItemName } from './item-name.tsx'
import classes from './item-list.module.css'
import type { Source } from './source-words.ts'

/** The items that a source could not read, with reasons. */
export function SkippedPanel({ source }: { source: Source }) {
  const skipped = useRead(['source-items', 'skipped', source.id], (api, signal) => {
    const params = { path: { id: source.id } }
    return unwrap(api.GET('/v1/console/sources/{id}/skipped-items', { params, signal }))
  })
  return (
    <Panel title="Skipped items" text="Items that the last syncs could not read." isFlush>
      <Reading query={skipped}>
        {({ skippedItems: rows, isCapped }) =>
          rows.length === 0 ? (
            <EmptyState
              icon={CircleCheck}
              title="Nothing skipped"
              text="Every item that was found is stored."
            />
          ) : (
            <>
              <DataTable
                label="Skipped items"
                rows={rows}
                rowKey={({ externalId }) => externalId}
                columns={[
                  { label: 'Item', cell: (item) => <ItemName item={item} /> },
                  {
                    label: 'Reason',
                    cell: ({ reason }) => <span className={classes.title}>{reason}</span>,
                  },
                  {
                    label: 'Stored',
                    cell: ({ isStored }) => (isStored ? 'An older version, or in part' : 'No'),
                  },
                  { label: 'When', cell: ({ at }) => <RelativeTime at={at} />, isAtEnd: true },
                ]}
              />
              {isCapped && <TooMany shown={rows.length} hint="The latest come first." />}
            </>
          )
        }
      </Reading>
    </Panel>
  )
}
