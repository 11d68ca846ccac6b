import { Alert, Button, Group, Stack } from '@mantine/core'
import { KeyRound } from 'lucide-react'
import { CodeBlock } from '../../ui/code-block.tsx'

/** Shows a webhook's secret once. */
export function SigningSecret({ secret, onDone }: { secret: string; onDone: () => void }) {
  return (
    <Stack>
      <Alert icon={<KeyRound size={18} aria-hidden />} title="Copy it now" role="status">
        Your server verifies events with this secret. It is shown only once; if you lose it, rotate it.
      </Alert>
      <CodeBlock label="the signing secret" text={secret} wraps isToCopyFirst />
      <Group justify="flex-end">
        <Button onClick={onDone}>I have copied it</Button>
      </Group>
    </Stack>
  )
}
