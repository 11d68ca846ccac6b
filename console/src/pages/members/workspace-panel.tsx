import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useWorkspace } from '../../session/workspace.tsx'
import { ErrorNotice } from '../../ui/error-state.tsx'
import { Panel } from '../../ui/panel.tsx'
import { useRename } from './use-members.ts'

/** What the workspace is called. */
export function WorkspacePanel() {
  const { organization } = useWorkspace()
  const rename = useRename()
  const [name, setName] = useState(organization.name)
  const isSame = name.trim() === organization.name
  return (
    <Panel title="Workspace">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          rename.mutate(name.trim())
        }}
      >
        <Stack>
          <Group align="flex-end">
            <TextInput
              label="Name"
              style={{ flex: '1 1 14rem' }}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
              maxLength={200}
              required
            />
            <Button
              type="submit"
              variant="default"
              loading={rename.isPending}
              disabled={isSame || name.trim() === ''}
            >
              Rename
            </Button>
          </Group>
          {rename.error && <ErrorNotice error={rename.error} />}
          <Text size="sm" c="dimmed" role="status">
            {rename.isSuccess && isSame ? 'Saved.' : 'All members see the name.'}
          </Text>
        </Stack>
      </form>
    </Panel>
  )
}
