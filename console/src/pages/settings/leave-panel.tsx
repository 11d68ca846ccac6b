import { Button, Group, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { LeaveDialog } from '../../session/leave-dialog.tsx'
import { useWorkspace } from '../../session/workspace.tsx'
import { TextLink } from '../../ui/links.tsx'
import { Panel } from '../../ui/panel.tsx'
import classes from './removal-panel.module.css'
import { SECTIONS } from './settings-sections.ts'

/** Leaves the workspace. An owner first transfers it on the Members page. */
export function LeavePanel() {
  const { organization } = useWorkspace()
  const [isOpen, { open, close }] = useDisclosure(false)
  return (
    <Panel {...SECTIONS.leave}>
      <Group justify="space-between">
        <Text size="sm" style={{ flex: '1 1 16rem' }}>
          You lose access at once and can return only by invitation.
          {organization.role === 'owner' && (
            <>
              {' '}
              To hand it over,{' '}
              <TextLink to="/members" underline="always">
                make another member an owner
              </TextLink>{' '}
              first.
            </>
          )}
        </Text>
        <Button variant="default" className={classes.danger ?? ''} onClick={open}>
          Leave
        </Button>
      </Group>
      <LeaveDialog isOpen={isOpen} onClose={close} />
    </Panel>
  )
}
