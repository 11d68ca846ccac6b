import { Modal } from '@mantine/core'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { SigningSecret } from './signing-secret.tsx'
import { useDeleteWebhook, useRotateWebhook, type Webhook } from './use-webhooks.ts'

/** Asks before it rotates the secret, then shows the new one once. */
export function RotateWebhookDialog({ webhook, onClose }: { webhook: Webhook | null; onClose: () => void }) {
  const rotate = useRotateWebhook()
  const close = (): void => {
    onClose()
    rotate.reset()
  }
  const secret = rotate.data?.secret
  if (secret !== undefined)
    return (
      <Modal
        opened
        onClose={close}
        title="New signing secret"
        closeOnClickOutside={false}
        closeOnEscape={false}
        withCloseButton={false}
      >
        <SigningSecret secret={secret} onDone={close} />
      </Modal>
    )
  return (
    <ConfirmDialog
      isOpen={webhook !== null}
      title="Rotate the signing secret?"
      text="Events are signed with the new secret. For 24 hours, they are signed with the old secret too."
      confirm="Rotate secret"
      work={rotate}
      onConfirm={() => {
        if (webhook) rotate.mutate(webhook.id)
      }}
      onClose={close}
    />
  )
}

export function DeleteWebhookDialog({ webhook, onClose }: { webhook: Webhook | null; onClose: () => void }) {
  const remove = useDeleteWebhook()
  const close = (): void => {
    onClose()
    remove.reset()
  }
  return (
    <ConfirmDialog
      isOpen={webhook !== null}
      title="Delete the webhook?"
      text={`${webhook?.url ?? 'The address'} gets no more events. Waiting events are not sent, and its deliveries are deleted. To stop temporarily, pause it.`}
      confirm="Delete webhook"
      work={remove}
      onConfirm={() => {
        if (webhook) remove.mutate(webhook.id, { onSuccess: close })
      }}
      onClose={close}
    />
  )
}
