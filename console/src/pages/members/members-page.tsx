import { Button, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { UserPlus } from 'lucide-react'
import { useWorkspace } from '../../session/workspace.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { DirectoryPanel } from './directory-panel.tsx'
import { GroupsPanel } from './groups-panel.tsx'
import { InvitationsPanel } from './invitations-panel.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { MembersPanel } from './members-panel.tsx'
import { PermissionsPanel } from './permissions-panel.tsx'
import { RemovalPanel } from './removal-panel.tsx'
import { WorkspacePanel } from './workspace-panel.tsx'

/** Who is in the workspace, who is invited, what it is called, and for owners its end. */
export function MembersPage() {
  const { organization } = useWorkspace()
  const [isInviting, { open, close }] = useDisclosure(false)
  return (
    <>
      <PageHeader
        title="Members"
        text="Members of this workspace and their roles."
        action={
          <Button leftSection={<UserPlus size={15} aria-hidden />} onClick={open}>
            Invite a member
          </Button>
        }
      />
      <Stack gap="lg">
        <MembersPanel />
        <InvitationsPanel />
        <PermissionsPanel />
        <GroupsPanel />
        <DirectoryPanel />
        <WorkspacePanel />
        {organization.role === 'owner' && <RemovalPanel key={organization.id} />}
      </Stack>
      <InviteDialog isOpen={isInviting} onClose={close} />
    </>
  )
}
