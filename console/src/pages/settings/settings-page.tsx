import { Stack } from '@mantine/core'
import { useWorkspace } from '../../session/workspace.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { LeavePanel } from './leave-panel.tsx'
import { ModelsPanel } from './models-panel.tsx'
import { PermissionsPanel } from './permissions-panel.tsx'
import { RemovalPanel } from './removal-panel.tsx'
import { WorkspacePanel } from './workspace-panel.tsx'

/** Settings of the workspace, its permissions and its models. Members can only view and leave it. */
export function SettingsPage() {
  const { organization, isAdmin } = useWorkspace()
  return (
    <>
      <PageHeader title="Settings" text={`Settings of ${organization.name}.`} />
      <Stack gap="lg">
        <WorkspacePanel />
        {isAdmin && <PermissionsPanel />}
        {isAdmin && <ModelsPanel />}
        <LeavePanel />
        {organization.role === 'owner' && <RemovalPanel key={organization.id} />}
      </Stack>
    </>
  )
}
