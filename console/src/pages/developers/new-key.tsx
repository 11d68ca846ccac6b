import { Alert, Button, Group, Stack, Tabs } from '@mantine/core'
import { KeyRound } from 'lucide-react'
import type { Schemas } from '../../api/client.ts'
import { useConsole } from '../../session/context.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { useSources } from '../sources/use-sources.ts'
import { snippetsOf } from './snippets.ts'

/** A key's secret, this once, and how it is used with it filled in. */
export function NewKey({
  apiKey,
  secret,
  onDone,
}: {
  apiKey: Schemas['ApiKey']
  secret: string
  onDone: () => void
}) {
  const { config } = useConsole()
  const sources = useSources()
  const source = sources.data?.find(({ provider }) => apiKey.allowedProviders?.includes(provider) ?? true)
  const snippets = snippetsOf({
    url: config.publicUrl,
    secret,
    actions: apiKey.allowedActions,
    source: source ?? null,
  })
  return (
    <Stack>
      <Alert icon={<KeyRound size={18} aria-hidden />} title="Copy it now" role="status">
        The secret is shown only once. Store it like a password, on a server.
      </Alert>
      <CodeBlock label="the secret" text={secret} wraps />
      <Tabs defaultValue={snippets[0]?.name ?? null} keepMounted={false}>
        <Tabs.List mb="sm">
          {snippets.map(({ name }) => (
            <Tabs.Tab key={name} value={name}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {snippets.map(({ name, text }) => (
          <Tabs.Panel key={name} value={name}>
            <CodeBlock label={`the ${name} example`} text={text} />
          </Tabs.Panel>
        ))}
      </Tabs>
      <Group justify="flex-end">
        <Button onClick={onDone}>I have copied it</Button>
      </Group>
    </Stack>
  )
}
