import { Stack } from '@mantine/core'
import { useWorkspace } from '../../session/workspace.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { LeavePanel } from './leave-panel.tsx'
import { ModelsPanel } from './models-panel.tsx'
import { RemovalPanel } from './removal-panel.tsx'
import { WorkspacePanel } from './workspace-panel.tsx'

/** The workspace itself and the models behind it. Members see what it is and can leave. */
export function SettingsPage() {
  const { organization, isAdmin } = useWorkspace()
  return (
    <>
      <PageHeader title="Settings" text={`Settings of ${organization.name}.`} />
      <Stack gap="lg">
        <WorkspacePanel />
        {isAdmin && <ModelsPanel />}
        <LeavePanel />
        {organization.role === 'owner' && <RemovalPanel key={organization.id} />}
      </Stack>
    </>
  )
}
