import { Stack } from '@mantine/core'
import { useWorkspace } from '../../session/workspace.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { AccountPanel } from './account-panel.tsx'
import { ExportPanel } from './export-panel.tsx'
import { LeavePanel } from './leave-panel.tsx'
import { ModelsPanel } from './models-panel.tsx'
import { PermissionsPanel } from './permissions-panel.tsx'
import { RemovalPanel } from './removal-panel.tsx'
import { ServicePanel } from './service-panel.tsx'
import { WorkspacePanel } from './workspace-panel.tsx'

/** Settings of the workspace and of the signed-in user. Members can only view the workspace and leave it. */
export function SettingsPage() {
  const { organization, isAdmin } = useWorkspace()
  return (
    <>
      <PageHeader title="Settings" text={`${organization.name}, the service and your account.`} />
      <Stack gap="lg">
        <WorkspacePanel />
        {isAdmin && <PermissionsPanel />}
        <ServicePanel />
        {isAdmin && <ModelsPanel />}
        {isAdmin && <ExportPanel />}
        <AccountPanel />
        <LeavePanel />
        {organization.role === 'owner' && <RemovalPanel key={organization.id} />}
      </Stack>
    </>
  )
}
