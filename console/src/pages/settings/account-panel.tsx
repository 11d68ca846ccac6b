import { SegmentedControl, useMantineColorScheme } from '@mantine/core'
import { roleName } from '../../session/role-name.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { COLOR_SCHEMES } from '../../ui/color-schemes.ts'
import { Panel } from '../../ui/panel.tsx'
import { SECTIONS } from './settings-sections.ts'
import classes from './settings.module.css'

const CHOICES = COLOR_SCHEMES.map(({ id, label }) => ({ value: id, label }))

/** The signed-in user, and the theme of this browser. */
export function AccountPanel() {
  const { user, organization } = useWorkspace()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <Panel {...SECTIONS.account} text="Name and email address come from your identity provider.">
      <dl className={classes.facts}>
        <dt>Name</dt>
        <dd>{user.name ?? 'None'}</dd>
        <dt>Email</dt>
        <dd>{user.email ?? 'None'}</dd>
        <dt>Your role</dt>
        <dd>{roleName(organization.role)}</dd>
        <dt>Theme</dt>
        <dd>
          <SegmentedControl
            size="xs"
            aria-label="Theme"
            data={CHOICES}
            value={colorScheme}
            onChange={setColorScheme}
          />
        </dd>
      </dl>
    </Panel>
  )
}
