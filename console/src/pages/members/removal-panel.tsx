import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { unwrap } from '../../api/client.ts'
import { ME } from '../../app/user-api.ts'
import { useWorkspace } from '../../app/workspace.tsx'
import { ErrorNotice } from '../../ui/error-state.tsx'
import { Panel } from '../../ui/panel.tsx'
import classes from './removal-panel.module.css'

/** The end of the workspace. Of owners. */
export function RemovalPanel() {
  const { organization } = useWorkspace()
  const [isOpen, { open, close }] = useDisclosure(false)
  return (
    <Panel title="Remove the workspace">
      <Group justify="space-between">
        <Text size="sm" style={{ flex: '1 1 20rem' }}>
          Everything in it is deleted, for everybody: what is stored, keys, members, the audit trail.
        </Text>
        <Button variant="default" className={classes.danger ?? ''} onClick={open}>
          Remove this workspace
        </Button>
      </Group>
      <Modal opened={isOpen} onClose={close} title={`Remove ${organization.name}?`}>
        <Confirmation onClose={close} />
      </Modal>
    </Panel>
  )
}

function Confirmation({ onClose }: { onClose: () => void }) {
  const { organization } = useWorkspace()
  const [typed, setTyped] = useState('')
  const remove = useRemoveWorkspace()
  const isSure = typed.trim() === organization.name.trim()
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (isSure) remove.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text>
          Keys stop working at once, the access to connected accounts is given back, and nobody, you included,
          sees anything of it any more.
        </Text>
        <Text size="sm">This cannot be undone.</Text>
        <TextInput
          label={`Type ${organization.name} to confirm`}
          value={typed}
          autoComplete="off"
          onChange={(event) => setTyped(event.currentTarget.value)}
          data-autofocus
        />
        {remove.error && <ErrorNotice error={remove.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" color="red.8" disabled={!isSure} loading={remove.isPending}>
            Remove the workspace
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** Removes the workspace that is open, and leads to Home of another or to where one is made. */
function useRemoveWorkspace() {
  const { api, organization } = useWorkspace()
  const queries = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: async () => {
      const params = { path: { id: organization.id } }
      await unwrap(api.DELETE('/v1/console/organizations/{id}', { params }))
    },
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: ME })
      await navigate({ to: '/' })
      queries.removeQueries({ queryKey: [organization.id] })
    },
  })
}
