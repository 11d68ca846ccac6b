import { useQuery } from '@tanstack/react-query'
import { unwrap } from '../../api/client.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { ErrorNotice, TooMany } from '../../ui/error-state.tsx'
import { Panel } from '../../ui/panel.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import classes from './item-list.module.css'

/** The items that a source could not read, with reasons. Renders nothing if there are none. */
export function SkippedPanel({ sourceId }: { sourceId: string }) {
  const { api, organization, isAdmin } = useWorkspace()
  const skipped = useQuery({
    queryKey: [organization.id, 'source-items', 'skipped', sourceId],
    queryFn: ({ signal }) => {
      const params = { path: { id: sourceId } }
      return unwrap(api.GET('/v1/console/sources/{id}/skipped-items', { params, signal }))
    },
    enabled: isAdmin,
  })
  if (skipped.error) return <ErrorNotice error={skipped.error} />
  const rows = skipped.data?.skippedItems ?? []
  if (rows.length === 0) return null
  return (
    <Panel title="Skipped items" text="Items that the last syncs could not read." isFlush>
      <DataTable
        label="Skipped items"
        rows={rows}
        rowKey={({ externalId }) => externalId}
        columns={[
          { label: 'Item', cell: ({ externalId }) => <span className={classes.title}>{externalId}</span> },
          { label: 'Reason', cell: ({ reason }) => <span className={classes.title}>{reason}</span> },
          {
            label: 'Stored',
            cell: ({ isStored }) => (isStored ? 'An older version, or in part' : 'No'),
          },
          { label: 'When', cell: ({ at }) => <RelativeTime at={at} />, isAtEnd: true },
        ]}
      />
      {skipped.data?.isCapped === true && <TooMany shown={rows.length} hint="The latest come first." />}
    </Panel>
  )
}
