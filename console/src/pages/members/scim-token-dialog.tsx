import { Alert, Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { useConsole } from '../../session/context.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { SubmitForm } from '../../ui/submit-form.tsx'
import { useReturnFocus } from '../../ui/use-return-focus.ts'
import { useCreateScimToken } from './use-scim-tokens.ts'

/** Creates a SCIM token and shows its secret once. Only the button closes the dialog, so that a slip does not lose it. */
export function ScimTokenDialog({ onClose }: { onClose: () => void }) {
  useReturnFocus()
  const create = useCreateScimToken()
  const isDone = create.data !== undefined
  return (
    <Modal
      opened
      onClose={onClose}
      title={isDone ? 'Your new SCIM token' : 'Create a SCIM token'}
      closeOnClickOutside={!isDone && !create.isPending}
      closeOnEscape={!isDone}
      withCloseButton={!isDone}
    >
      {create.data ? (
        <NewToken secret={create.data.secret} onDone={onClose} />
      ) : (
        <TokenForm create={create} onCancel={onClose} />
      )}
    </Modal>
  )
}

function TokenForm({
  create,
  onCancel,
}: {
  create: ReturnType<typeof useCreateScimToken>
  onCancel: () => void
}) {
  const [name, setName] = useState('')
  return (
    <SubmitForm
      action="Create token"
      work={create}
      isComplete={name.trim() !== ''}
      onSubmit={() => create.mutate(name.trim())}
      onCancel={onCancel}
    >
      <TextInput
        label="Name"
        placeholder="Okta"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        maxLength={200}
        required
        data-autofocus
      />
    </SubmitForm>
  )
}

function NewToken({ secret, onDone }: { secret: string; onDone: () => void }) {
  const { config } = useConsole()
  return (
    <Stack>
      <Alert icon={<KeyRound size={18} aria-hidden />} title="Copy it now" role="status">
        The token cannot be shown again. Enter both at your identity provider.
      </Alert>
      <CodeBlock label="the SCIM base URL" text={`${config.publicUrl}/scim/v2`} />
      <CodeBlock label="the SCIM token" text={secret} wraps isToCopyFirst />
      <Group justify="flex-end">
        <Button onClick={onDone}>I have copied it</Button>
      </Group>
    </Stack>
  )
}
