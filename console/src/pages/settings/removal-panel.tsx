import { Button, Group, Modal, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { unwrap } from '../../api/client.ts'
import { ME } from '../../session/user-api.ts'
import { useChange } from '../../data/use-api.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { Panel } from '../../ui/panel.tsx'
import { TypedConfirmation } from '../../ui/typed-confirmation.tsx'
import classes from './removal-panel.module.css'
import { SECTIONS } from './settings-sections.ts'

/** Deletes the workspace. Owners only. */
export function RemovalPanel() {
  const { organization } = useWorkspace()
  const [isOpen, { open, close }] = useDisclosure(false)
  return (
    <Panel {...SECTIONS.removal}>
      <Group justify="space-between">
        <Text size="sm" style={{ flex: '1 1 20rem' }}>
          Deletes all items, keys, members and the audit trail, for everybody.
        </Text>
        <Button variant="default" className={classes.danger ?? ''} onClick={open}>
          Delete this workspace
        </Button>
      </Group>
      <Modal opened={isOpen} onClose={close} title={`Delete ${organization.name}?`}>
        <Confirmation onClose={close} />
      </Modal>
    </Panel>
  )
}

function Confirmation({ onClose }: { onClose: () => void }) {
  const { organization } = useWorkspace()
  const remove = useRemoveWorkspace()
  return (
    <TypedConfirmation
      name={organization.name}
      confirm="Delete the workspace"
      work={remove}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <Text>
        Keys stop working at once, access to connected accounts is revoked, and nobody can open the workspace
        any more, including you.
      </Text>
    </TypedConfirmation>
  )
}

/** Deletes the current workspace, then opens Home of another one or the page that creates one. */
function useRemoveWorkspace() {
  const { organization } = useWorkspace()
  const queries = useQueryClient()
  const navigate = useNavigate()
  return useChange(
    (api) => {
      const params = { path: { id: organization.id } }
      return unwrap(api.DELETE('/v1/console/organizations/{id}', { params }))
    },
    async () => {
      await queries.invalidateQueries({ queryKey: ME })
      await navigate({ to: '/' })
      queries.removeQueries({ queryKey: [organization.id] })
    },
  )
}
