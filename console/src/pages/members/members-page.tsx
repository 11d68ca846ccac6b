import { Button, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { UserPlus } from 'lucide-react'
import { PageHeader } from '../../ui/page-header.tsx'
import { DirectoryPanel } from './directory-panel.tsx'
import { GroupsPanel } from './groups-panel.tsx'
import { InvitationsPanel } from './invitations-panel.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { MembersPanel } from './members-panel.tsx'

/** Members, invitations and groups of the workspace. */
export function MembersPage() {
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
        <GroupsPanel />
        <DirectoryPanel />
      </Stack>
      <InviteDialog isOpen={isInviting} onClose={close} />
    </>
  )
}
