import { Text, Title } from '@mantine/core'
import { CreateWorkspaceForm } from './create-workspace-form.tsx'
import { GatePage } from './gate-page.tsx'

/** The page of a user without a workspace. */
export function FirstWorkspacePage({ onMade }: { onMade: (organizationId: string) => void }) {
  return (
    <GatePage title="Create a workspace">
      <Title order={1}>Create your workspace</Title>
      <Text c="dimmed">
        A workspace is the memory of one company or team. If a colleague has one, ask for an invitation
        instead.
      </Text>
      <CreateWorkspaceForm onMade={onMade} />
    </GatePage>
  )
}
