import { Stack, Text } from '@mantine/core'
import { useConsole } from '../../session/context.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { TextLink } from '../../ui/links.tsx'
import { Panel } from '../../ui/panel.tsx'
import { SECTIONS } from './settings-sections.ts'

/** How an admin exports everything: the console cannot, because only a key may read all items. */
export function ExportPanel() {
  const { publicUrl } = useConsole().config
  return (
    <Panel {...SECTIONS.export} text="All items with their access policies and vectors, in one file.">
      <Stack gap="xs">
        <CodeBlock
          label="the export command"
          text={`MEMORY_API_KEY=svc_… npm run memory -- export workspace.jsonl --url ${publicUrl}`}
          wraps
        />
        <Text size="sm" c="dimmed">
          The key needs the permission admin and all providers.{' '}
          <TextLink to="/developers" inherit underline="always">
            Create a key
          </TextLink>
        </Text>
      </Stack>
    </Panel>
  )
}
