import { Button, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { PageHeader } from '../../ui/page-header.tsx'
import { CreateKeyDialog } from './create-key-dialog.tsx'
import { KeysPanel } from './keys-panel.tsx'
import { WebhooksPanel } from './webhooks-panel.tsx'

/** The keys by which agents and programs come in, and the addresses that are told of what happens. */
export function DevelopersPage() {
  const [isCreating, { open, close }] = useDisclosure(false)
  return (
    <>
      <PageHeader
        title="Developers"
        text="API keys and webhooks for your workspace."
        action={<Button onClick={open}>Create a key</Button>}
      />
      <Stack gap="lg">
        <KeysPanel onCreate={open} />
        <WebhooksPanel />
      </Stack>
      <CreateKeyDialog isOpen={isCreating} onClose={close} />
    </>
  )
}
