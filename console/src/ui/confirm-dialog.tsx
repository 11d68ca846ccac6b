import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import type { ApiError } from '../api/errors.ts'
import { ErrorNotice } from './error-state.tsx'

/** Confirms an action that cannot be undone. Cancel has the initial focus. */
export function ConfirmDialog({
  isOpen,
  title,
  text,
  confirm,
  isBusy,
  error,
  onConfirm,
  onClose,
}: {
  isOpen: boolean
  title: string
  /** The effect, including what is deleted. */
  text: string
  /** The verb of the button: "Revoke key". */
  confirm: string
  isBusy: boolean
  error: ApiError | null
  onConfirm: () => void
  onClose: () => void
}) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={title}>
      <Stack>
        <Text>{text}</Text>
        {error && <ErrorNotice error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button color="red.8" onClick={onConfirm} loading={isBusy}>
            {confirm}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
