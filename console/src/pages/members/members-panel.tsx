import { Box, Select, Text } from '@mantine/core'
import { LogOut, UserMinus } from 'lucide-react'
import { useState } from 'react'
import { LeaveDialog } from '../../session/leave-dialog.tsx'
import { roleName } from '../../session/role-name.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { ErrorNotice } from '../../ui/error-state.tsx'
import { count } from '../../ui/format.ts'
import { Panel } from '../../ui/panel.tsx'
import { Reading } from '../../ui/reading.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { RowMenu } from '../../ui/row-menu.tsx'
import { grantableRoles, memberName, whyNot } from './member-rules.ts'
import { type Member, useChangeRole, useMembers, useRemoveMember } from './use-members.ts'

/** All members with their roles. Controls that the user may not use explain why. */
export function MembersPanel() {
  const { user } = useWorkspace()
  const members = useMembers()
  const change = useChangeRole()
  const [leaving, setLeaving] = useState<Member | null>(null)
  const isSelf = leaving?.id === user.id
  return (
    <Panel
      title="In this workspace"
      {...(members.data ? { text: count(members.data.length, 'person', 'people') } : {})}
      isFlush
    >
      {change.error && (
        <Box px="lg" pb="sm">
          <ErrorNotice error={change.error} />
        </Box>
      )}
      <Reading query={members}>
        {(rows) => (
          <MemberTable
            members={rows}
            saving={change.isPending ? change.variables : null}
            onRole={(id, role) => change.mutate({ id, role })}
            onRemove={setLeaving}
          />
        )}
      </Reading>
      <LeaveDialog isOpen={isSelf} onClose={() => setLeaving(null)} />
      <RemoveDialog member={isSelf ? null : leaving} onClose={() => setLeaving(null)} />
    </Panel>
  )
}

function MemberTable({
  members,
  saving,
  onRole,
  onRemove,
}: {
  members: readonly Member[]
  /** The role that is being saved. */
  saving: Pick<Member, 'id' | 'role'> | null
  onRole: (id: string, role: Member['role']) => void
  onRemove: (member: Member) => void
}) {
  const { user, organization } = useWorkspace()
  const own = { id: user.id, role: organization.role }
  return (
    <DataTable
      label="Members"
      rows={members}
      rowKey={({ id }) => id}
      columns={[
        { label: 'Name', cell: (member) => <Name member={member} isSelf={member.id === user.id} /> },
        {
          label: 'Role',
          cell: (member) => (
            <RoleChoice
              member={saving?.id === member.id ? { ...member, ...saving } : member}
              own={own}
              disabledBecause={whyNot(member, own, members)}
              onChange={(role) => onRole(member.id, role)}
            />
          ),
        },
        { label: 'Joined', cell: ({ joinedAt }) => <RelativeTime at={joinedAt} /> },
        {
          label: 'Actions',
          isAtEnd: true,
          isAction: true,
          cell: (member) => (
            <RowMenu
              of={memberName(member)}
              actions={[
                {
                  label: member.id === user.id ? 'Leave the workspace' : 'Remove from the workspace',
                  icon: member.id === user.id ? LogOut : UserMinus,
                  isGrave: true,
                  onChoose: () => onRemove(member),
                  disabledBecause: whyNot(member, own, members),
                },
              ]}
            />
          ),
        },
      ]}
    />
  )
}

function Name({ member, isSelf }: { member: Member; isSelf: boolean }) {
  const name = memberName(member)
  return (
    <div style={{ overflowWrap: 'anywhere' }}>
      {name}
      {isSelf && ' (you)'}
      {member.email !== null && member.email !== name && (
        <Text size="sm" c="dimmed">
          {member.email}
        </Text>
      )}
    </div>
  )
}

function RoleChoice({
  member,
  own,
  disabledBecause,
  onChange,
}: {
  member: Member
  own: { id: string; role: Member['role'] }
  disabledBecause: string | undefined
  onChange: (role: Member['role']) => void
}) {
  const roles = grantableRoles(own.role)
  if (disabledBecause !== undefined)
    return (
      <div>
        {roleName(member.role)}
        <Text size="xs" c="dimmed" maw="14rem">
          {disabledBecause}
        </Text>
      </div>
    )
  return (
    <Select
      aria-label={`Role of ${memberName(member)}`}
      size="xs"
      w="7.5rem"
      data={roles.map((role) => ({ value: role, label: roleName(role) }))}
      value={member.role}
      allowDeselect={false}
      onChange={(value) => {
        const role = roles.find((one) => one === value)
        if (role !== undefined && role !== member.role) onChange(role)
      }}
    />
  )
}

function RemoveDialog({ member, onClose }: { member: Member | null; onClose: () => void }) {
  const remove = useRemoveMember()
  const close = (): void => {
    onClose()
    remove.reset()
  }
  const name = member ? memberName(member) : ''
  return (
    <ConfirmDialog
      isOpen={member !== null}
      title={`Remove ${name}?`}
      text={`${name} loses access at once. Their open invitations are revoked. Keys that they created keep working: revoke those that should not.`}
      confirm="Remove"
      work={remove}
      onConfirm={() => {
        if (member) remove.mutate(member.id, { onSuccess: close })
      }}
      onClose={close}
    />
  )
}
