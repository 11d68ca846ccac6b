import { Button } from '@mantine/core'
import { MailPlus } from 'lucide-react'
import { useState } from 'react'
import { roleName } from '../../session/role-name.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Reading } from '../../ui/reading.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { type Invitation, useInvitations, useWithdraw } from './use-members.ts'

/** Links that nobody has opened yet, and the way to withdraw one. */
export function InvitationsPanel() {
  const invitations = useInvitations()
  const [leaving, setLeaving] = useState<Invitation | null>(null)
  return (
    <Panel title="Open invitations" isFlush>
      <Reading query={invitations}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState
              icon={MailPlus}
              title="No open invitations"
              text="An invitation is a link for one person, valid for seven days."
            />
          ) : (
            <DataTable
              label="Open invitations"
              rows={rows}
              rowKey={({ id }) => id}
              columns={[
                { label: 'For', cell: ({ email }) => email ?? 'Anyone with the link' },
                { label: 'Role', cell: ({ role }) => roleName(role) },
                { label: 'Created', cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
                { label: 'Expires', cell: ({ expiresAt }) => <RelativeTime at={expiresAt} /> },
                {
                  label: 'Withdraw',
                  isAtEnd: true,
                  isAction: true,
                  cell: (invitation) => (
                    <Button
                      size="xs"
                      variant="default"
                      aria-label={`Withdraw the invitation for ${invitation.email ?? 'anyone with the link'}`}
                      onClick={() => setLeaving(invitation)}
                    >
                      Withdraw
                    </Button>
                  ),
                },
              ]}
            />
          )
        }
      </Reading>
      <WithdrawDialog invitation={leaving} onClose={() => setLeaving(null)} />
    </Panel>
  )
}

function WithdrawDialog({ invitation, onClose }: { invitation: Invitation | null; onClose: () => void }) {
  const withdraw = useWithdraw()
  const close = (): void => {
    onClose()
    withdraw.reset()
  }
  return (
    <ConfirmDialog
      isOpen={invitation !== null}
      title="Withdraw the invitation?"
      text="The link stops working. Members who joined stay."
      confirm="Withdraw invitation"
      isBusy={withdraw.isPending}
      error={withdraw.error}
      onConfirm={() => {
        if (invitation) withdraw.mutate(invitation.id, { onSuccess: close })
      }}
      onClose={close}
    />
  )
}
