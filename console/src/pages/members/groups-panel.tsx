import { Button, Text } from '@mantine/core'
import { Pencil, Trash2, UsersRound } from 'lucide-react'
import { useState } from 'react'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { count } from '../../ui/format.ts'
import { Panel } from '../../ui/panel.tsx'
import { Reading } from '../../ui/reading.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { RowMenu } from '../../ui/row-menu.tsx'
import { GroupDialog } from './group-dialog.tsx'
import { type Group, useDeleteGroup, useGroups } from './use-groups.ts'

const MANAGED = 'Your identity provider manages this group'
/** The list shows at most this many members of a group. */
const MEMBERS_LISTED = 100

/** The groups that access policies refer to. */
export function GroupsPanel() {
  const groups = useGroups()
  const [editing, setEditing] = useState<Group | 'new' | null>(null)
  const [groupToDelete, setGroupToDelete] = useState<Group | null>(null)
  return (
    <Panel
      title="Groups"
      {...(groups.data?.nextCursor == null ? {} : { text: 'The 200 newest. The API lists all.' })}
      action={
        <Button variant="default" size="xs" onClick={() => setEditing('new')}>
          Create a group
        </Button>
      }
      isFlush
    >
      <Reading query={groups}>
        {({ groups: rows }) =>
          rows.length === 0 ? (
            <EmptyState
              icon={UsersRound}
              title="No groups"
              text="Access policies name groups, such as the address of a Google group."
            />
          ) : (
            <GroupTable groups={rows} onEdit={setEditing} onDelete={setGroupToDelete} />
          )
        }
      </Reading>
      {editing !== null && (
        <GroupDialog group={editing === 'new' ? null : editing} onClose={() => setEditing(null)} />
      )}
      <DeleteDialog group={groupToDelete} onClose={() => setGroupToDelete(null)} />
    </Panel>
  )
}

function GroupTable({
  groups,
  onEdit,
  onDelete,
}: {
  groups: readonly Group[]
  onEdit: (group: Group) => void
  onDelete: (group: Group) => void
}) {
  return (
    <DataTable
      label="Groups"
      rows={groups}
      rowKey={({ id }) => id}
      columns={[
        { label: 'Group', cell: (group) => <Name group={group} /> },
        { label: 'Members', cell: ({ memberCount }) => count(memberCount, 'member') },
        { label: 'Managed by', cell: ({ origin }) => (origin === 'scim' ? 'Identity provider' : 'You') },
        { label: 'Changed', cell: ({ updatedAt }) => <RelativeTime at={updatedAt} /> },
        {
          label: 'Actions',
          isAtEnd: true,
          isAction: true,
          cell: (group) => (
            <RowMenu
              of={group.name ?? group.id}
              actions={[
                {
                  label: 'Edit members',
                  icon: Pencil,
                  onChoose: () => onEdit(group),
                  disabledBecause:
                    group.origin === 'scim'
                      ? MANAGED
                      : group.memberCount > MEMBERS_LISTED
                        ? 'Use the API for more than 100 members'
                        : undefined,
                },
                {
                  label: 'Delete the group',
                  icon: Trash2,
                  isGrave: true,
                  onChoose: () => onDelete(group),
                  disabledBecause: group.origin === 'scim' ? MANAGED : undefined,
                },
              ]}
            />
          ),
        },
      ]}
    />
  )
}

function Name({ group: { id, name } }: { group: Group }) {
  return (
    <div style={{ overflowWrap: 'anywhere' }}>
      {name ?? id}
      {name !== null && name !== id && (
        <Text size="sm" c="dimmed">
          {id}
        </Text>
      )}
    </div>
  )
}

function DeleteDialog({ group, onClose }: { group: Group | null; onClose: () => void }) {
  const remove = useDeleteGroup()
  const close = (): void => {
    onClose()
    remove.reset()
  }
  return (
    <ConfirmDialog
      isOpen={group !== null}
      title={`Delete ${group?.name ?? group?.id ?? 'the group'}?`}
      text="Its members lose access to items that only this group may read."
      confirm="Delete group"
      work={remove}
      onConfirm={() => {
        if (group) remove.mutate(group.id, { onSuccess: close })
      }}
      onClose={close}
    />
  )
}
