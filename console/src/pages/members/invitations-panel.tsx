import { Button } from '@mantine/core'
import { MailPlus } from 'lucide-react'
import { useState } from 'react'
import { INVITATION_DAYS } from '../../../../src/kernel/retention.ts'
import { roleName } from '../../session/role-name.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { count } from '../../ui/format.ts'
import { Panel } from '../../ui/panel.tsx'
import { Reading } from '../../ui/reading.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { type Invitation, useInvitations, useRevokeInvitation } from './use-invitations.ts'

/** Invitations that nobody has accepted, with a button to revoke each. */
export function InvitationsPanel() {
  const invitations = useInvitations()
  const [invitationToRevoke, setInvitationToRevoke] = useState<Invitation | null>(null)
  return (
    <Panel title="Open invitations" isFlush>
      <Reading query={invitations}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState
              icon={MailPlus}
              title="No open invitations"
              text={`An invitation is a link for one person, valid for ${count(INVITATION_DAYS, 'day')}.`}
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
                  label: 'Revoke',
                  isAtEnd: true,
                  isAction: true,
                  cell: (invitation) => (
                    <Button
                      size="xs"
                      variant="default"
                      aria-label={`Revoke the invitation for ${invitation.email ?? 'anyone with the link'}`}
                      onClick={() => setInvitationToRevoke(invitation)}
                    >
                      Revoke
                    </Button>
                  ),
                },
              ]}
            />
          )
        }
      </Reading>
      <RevokeDialog invitation={invitationToRevoke} onClose={() => setInvitationToRevoke(null)} />
    </Panel>
  )
}

function RevokeDialog({ invitation, onClose }: { invitation: Invitation | null; onClose: () => void }) {
  const revoke = useRevokeInvitation()
  const close = (): void => {
    onClose()
    revoke.reset()
  }
  return (
    <ConfirmDialog
      isOpen={invitation !== null}
      title="Revoke the invitation?"
      text="The link stops working. Members who joined stay."
      confirm="Revoke invitation"
      work={revoke}
      onConfirm={() => {
        if (invitation) revoke.mutate(invitation.id, { onSuccess: close })
      }}
      onClose={close}
    />
  )
}
