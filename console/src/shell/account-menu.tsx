import { Menu, UnstyledButton, VisuallyHidden, useMantineColorScheme } from '@mantine/core'
import { BookOpen, Check, EllipsisVertical, LogOut } from 'lucide-react'
import { useConsole } from '../session/context.tsx'
import classes from './switcher.module.css'
import { useWorkspace } from '../session/workspace.tsx'
import { COLOR_SCHEMES } from '../ui/color-schemes.ts'

/** The signed-in user, the color scheme, the API reference, and sign-out. */
export function AccountMenu() {
  const { user } = useWorkspace()
  const { session } = useConsole()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const name = user.name ?? user.email ?? 'You'
  return (
    <Menu position="top-start" width="target" withinPortal>
      <Menu.Target>
        <UnstyledButton className={classes.plain}>
          <VisuallyHidden>Account of </VisuallyHidden>
          <span className={classes.names}>
            <span className={classes.name}>{name}</span>
            {user.email !== null && user.email !== name && <span className={classes.role}>{user.email}</span>}
          </span>
          <EllipsisVertical size={15} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Theme</Menu.Label>
        {COLOR_SCHEMES.map(({ id, label, icon: Icon }) => (
          <Menu.Item
            key={id}
            leftSection={<Icon size={15} aria-hidden />}
            rightSection={colorScheme === id ? <Check size={15} aria-label="chosen" /> : null}
            onClick={() => setColorScheme(id)}
          >
            {label}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item component="a" href="/docs" leftSection={<BookOpen size={15} aria-hidden />}>
          API reference
        </Menu.Item>
        <Menu.Item leftSection={<LogOut size={15} aria-hidden />} onClick={() => void session.signOut()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
