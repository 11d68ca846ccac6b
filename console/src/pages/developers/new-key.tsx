import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { KeyRound } from 'lucide-react'
import type { Schemas } from '../../api/client.ts'
import { providerName } from '../../api/provider-list.ts'
import { CodeBlock } from '../../ui/code-block.tsx'
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
      <CodeBlock label="the secret" text={secret} wraps />
      <Text size="sm">
        Permissions: {apiKey.allowedActions.join(', ')}. Providers: {providersInWords(apiKey)}.
      </Text>
      <SnippetTabs apiKey={apiKey} secret={secret} />
      <Group justify="flex-end">
        <Button onClick={onDone}>I have copied it</Button>
      </Group>
    </Stack>
  )
}

function providersInWords({ allowedProviders }: Schemas['ApiKey']): string {
  return allowedProviders?.map((id) => providerName(id) ?? id).join(', ') ?? 'all'
}
