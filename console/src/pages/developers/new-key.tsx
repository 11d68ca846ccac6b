import { Alert, Button, Group, Stack } from '@mantine/core'
import { KeyRound } from 'lucide-react'
import type { Schemas } from '../../api/client.ts'
import { CodeBlock } from '../../ui/code-block.tsx'
import { KeyFacts } from './key-facts.tsx'
import { KeyTest } from './key-test.tsx'
import { SnippetTabs } from './snippet-tabs.tsx'

/** Shows a new key's secret once, with code that uses it. */
export function NewKey({
  apiKey,
  secret,
  onDone,
}: {
  apiKey: Schemas['ApiKey']
  secret: string
  onDone: () => void
}) {
  return (
    <Stack>
      <Alert icon={<KeyRound size={18} aria-hidden />} title="Copy it now" role="status">
        The secret is shown only once. Store it like a password, on a server.
      </Alert>
      <CodeBlock label="the secret" text={secret} wraps isToCopyFirst />
      <KeyFacts apiKey={apiKey} />
      <KeyTest secret={secret} />
      <SnippetTabs apiKey={apiKey} secret={secret} />
      <Group justify="flex-end">
        <Button onClick={onDone}>I have copied it</Button>
      </Group>
    </Stack>
  )
}
