import { Button, Code, Group, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { unwrap } from '../../api/client.ts'
import { useChange } from '../../data/use-api.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { ErrorNotice } from '../../ui/error-state.tsx'
import { Panel } from '../../ui/panel.tsx'
import { formatDate } from '../../ui/relative-time.tsx'
import { useRefreshMembers } from '../members/use-members.ts'
import { SECTIONS } from './settings-sections.ts'
import classes from './settings.module.css'

/** The workspace's name and ID. Admins can rename it. */
export function WorkspacePanel() {
  const { organization, isAdmin } = useWorkspace()
  return (
    <Panel {...SECTIONS.workspace}>
      <Stack>
        {isAdmin && <RenameForm />}
        <dl className={classes.facts}>
          {!isAdmin && (
            <>
              <dt>Name</dt>
              <dd>{organization.name}</dd>
            </>
          )}
          <dt>ID</dt>
          <dd className={classes.id}>
            <Code>{organization.id}</Code>
            <CopyButton value={organization.id} label="Copy the workspace ID" />
          </dd>
          <dt>Created</dt>
          <dd>{formatDate(organization.createdAt)}</dd>
        </dl>
      </Stack>
    </Panel>
  )
}

function RenameForm() {
  const { organization } = useWorkspace()
  const rename = useRename()
  const [name, setName] = useState(organization.name)
  const isSame = name.trim() === organization.name
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        rename.mutate(name.trim())
      }}
    >
      <Stack gap="sm">
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
  )
}

function useRename() {
  const { organization } = useWorkspace()
  return useChange((api, name: string) => {
    const params = { path: { id: organization.id } }
    return unwrap(api.PATCH('/v1/console/organizations/{id}', { params, body: { name } }))
  }, useRefreshMembers())
}
