import { roleName } from '../session/role-name.ts'
import { Menu, Modal, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { Check, ChevronsUpDown, Plus } from 'lucide-react'
import { useRef } from 'react'
import { CreateWorkspaceForm } from '../session/create-workspace-form.tsx'
import classes from './switcher.module.css'
import { useWorkspace } from '../session/workspace.tsx'

/** Shows the open workspace, and links to the user's others and to a new one. */
export function WorkspaceSwitcher() {
  const { organization, organizations, choose } = useWorkspace()
  const [isCreating, { open, close }] = useDisclosure(false)
  const button = useRef<HTMLButtonElement>(null)
  const navigate = useNavigate()
  const change = (id: string): void => {
    choose(id)
    void navigate({ to: '/' })
  }
  return (
    <>
      <Menu position="bottom-start" width="target" withinPortal>
        <Menu.Target>
          <UnstyledButton ref={button} className={classes.switcher}>
            <VisuallyHidden>Workspace </VisuallyHidden>
            <span className={classes.initial} aria-hidden>
              {organization.name.slice(0, 1).toUpperCase()}
            </span>
            <span className={classes.names}>
              <span className={classes.name}>{organization.name}</span>
              <span className={classes.role}>{roleName(organization.role)}</span>
            </span>
            <ChevronsUpDown size={15} aria-hidden />
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          {organizations.map(({ id, name }) => (
            <Menu.Item
              key={id}
              onClick={() => change(id)}
              rightSection={id === organization.id ? <Check size={15} aria-label="open" /> : null}
            >
              {name}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item
            leftSection={<Plus size={15} aria-hidden />}
            onClick={() => {
              // The dialog returns the focus to where it was, and the chosen entry disappears.
              button.current?.focus()
              open()
            }}
          >
            New workspace
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Modal opened={isCreating} onClose={close} title="New workspace">
        <CreateWorkspaceForm
          onMade={(id) => {
            close()
            change(id)
          }}
        />
      </Modal>
    </>
  )
}
