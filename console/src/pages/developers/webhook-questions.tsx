import { Modal } from '@mantine/core'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { SigningSecret } from './signing-secret.tsx'
import { useDeleteWebhook, useRotateWebhook, type Webhook } from './use-webhooks.ts'

/** Asks before a webhook gets a new secret, and shows that this once. */
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
        title="Its new signing secret"
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
      text="Events are signed by the new secret from now on, and for 24 hours by the one before as well, so that you can change it on your server without losing one."
      confirm="Rotate secret"
      isBusy={rotate.isPending}
      error={rotate.error}
      onConfirm={() => {
        if (webhook) rotate.mutate(webhook.id)
      }}
      onClose={close}
    />
  )
}

/** Asks before a webhook is removed. */
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
      text={`${webhook?.url ?? 'The address'} is told of nothing any more. What waits to be sent is not sent, and the list of its deliveries goes too. To stop for a while only, pause it.`}
      confirm="Delete webhook"
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() => {
        if (webhook) remove.mutate(webhook.id, { onSuccess: close })
      }}
      onClose={close}
    />
  )
}
