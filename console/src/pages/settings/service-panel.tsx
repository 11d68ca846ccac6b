import { Anchor, Code, Group } from '@mantine/core'
import { useConsole } from '../../session/context.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Panel } from '../../ui/panel.tsx'
import { SECTIONS } from './settings-sections.ts'
import classes from './settings.module.css'

/** The addresses that programs and agents need, and the version to name in questions to the operator. */
export function ServicePanel() {
  const { publicUrl, version } = useConsole().config
  return (
    <Panel
      {...SECTIONS.service}
      text="Addresses for programs and agents."
      action={
        <Group gap="md">
          <Anchor href="/docs" size="sm">
            API reference
          </Anchor>
          <Anchor href="/guide/" size="sm">
            Guide
          </Anchor>
        </Group>
      }
    >
      <dl className={classes.facts}>
        <Address name="API" value={publicUrl} />
        <Address name="MCP" value={`${publicUrl}/mcp`} />
        <dt>Version</dt>
        <dd>{version}</dd>
      </dl>
    </Panel>
  )
}

function Address({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd className={classes.id}>
        <Code>{value}</Code>
        <CopyButton value={value} label={`Copy the address of the ${name}`} />
      </dd>
    </>
  )
}
