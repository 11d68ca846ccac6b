import { Modal, PasswordInput, Text } from '@mantine/core'
import { useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { KeyFacts } from './key-facts.tsx'
import { KeyTest } from './key-test.tsx'
import { isSecret, keyOfSecret } from './key-words.ts'
import { useReturnFocus } from '../../ui/use-return-focus.ts'

/** Tests a pasted key. Its secret is forgotten when the dialog closes. */
export function TestKeyDialog({
  keys,
  onClose,
}: {
  keys: readonly Schemas['ApiKey'][]
  onClose: () => void
}) {
  useReturnFocus()
  const [secret, setSecret] = useState('')
  const [tested, setTested] = useState<string | null>(null)
  const given = secret.trim()
  return (
    <Modal opened onClose={onClose} title="Test a key" size="lg">
      <KeyTest
        secret={given}
        about={<Known apiKey={keyOfSecret(given, keys)} />}
        onTest={() => setTested(given)}
      >
        <PasswordInput
          label="Secret"
          description="Sent to this service only, and not stored."
          placeholder="svc_…"
          autoComplete="off"
          value={secret}
          onChange={(event) => setSecret(event.currentTarget.value)}
          error={
            tested === given && !isSecret(given) ? 'Paste the whole secret. It starts with svc_.' : undefined
          }
          data-autofocus
        />
      </KeyTest>
    </Modal>
  )
}

function Known({ apiKey }: { apiKey: Schemas['ApiKey'] | undefined }) {
  if (apiKey === undefined)
    return (
      <Text size="sm" mt="sm">
        This key belongs to another workspace.
      </Text>
    )
  return (
    <section aria-label="Tested key">
      <Text fw={620} size="sm" mt="sm">
        {apiKey.name}
      </Text>
      <KeyFacts apiKey={apiKey} />
    </section>
  )
}
