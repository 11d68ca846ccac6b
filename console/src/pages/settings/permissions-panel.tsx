import { Stack, Switch, Text } from '@mantine/core'
import { useWorkspace } from '../../session/workspace.tsx'
import { ErrorNotice } from '../../ui/error-state.tsx'
import { Panel } from '../../ui/panel.tsx'
import { useEnforcePermissions } from '../members/use-directory.ts'

/** Whether users find only what they may read at the source. Owners can change it. */
export function PermissionsPanel() {
  const { organization } = useWorkspace()
  const enforce = useEnforcePermissions()
  const isOwner = organization.role === 'owner'
  return (
    <Panel title="Permissions">
      <Stack gap="sm">
        <Switch
          label="Enforce permissions"
          description="In the console and over MCP, people find only what they may read at the source."
          checked={organization.permissions === 'enforced'}
          disabled={!isOwner || enforce.isPending}
          onChange={(event) => enforce.mutate(event.currentTarget.checked ? 'enforced' : 'off')}
        />
        {!isOwner && (
          <Text size="sm" c="dimmed">
            Only owners change this.
          </Text>
        )}
        {enforce.error && <ErrorNotice error={enforce.error} />}
      </Stack>
    </Panel>
  )
}
