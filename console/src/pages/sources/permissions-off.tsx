import { Text } from '@mantine/core'
import { useWorkspace } from '../../session/workspace.tsx'
import { TextLink } from '../../ui/links.tsx'

/** Says that what follows does not apply yet, with the way to the switch. Renders nothing while permissions are enforced. */
export function PermissionsOff() {
  const { organization } = useWorkspace()
  if (organization.permissions !== 'off') return null
  return (
    <Text size="sm" mb="xs">
      Permissions are off: every member of this workspace may read everything.{' '}
      <TextLink to="/settings" hash="permissions" inherit underline="always">
        Enforce permissions in Settings
      </TextLink>{' '}
      to apply what follows.
    </Text>
  )
}
