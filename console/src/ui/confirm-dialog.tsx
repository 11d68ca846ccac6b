import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { ErrorNotice } from './error-state.tsx'
import type { FormWork } from './submit-form.tsx'
import { useFocusAfterDeletion } from './use-return-focus.ts'

/** Confirms an action that matters to others or cannot be undone. Cancel has the initial focus. */
export function ConfirmDialog({
  isOpen,
  title,
  text,
  confirm,
  isGrave = true,
  work,
  onConfirm,
  onClose,
}: {
  isOpen: boolean
  title: string
  /** The effect, including what is deleted. */
  text: string
  /** The verb of the button: "Revoke key". */
  confirm: string
  /** Whether it removes or exposes something, which makes the button red. */
  isGrave?: boolean
  work: FormWork
  onConfirm: () => void
  onClose: () => void
}) {
  useFocusAfterDeletion(isOpen)
  return (
    <Modal opened={isOpen} onClose={onClose} title={title}>
      <Stack>
        <Text>{text}</Text>
        {work.error && <ErrorNotice error={work.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button {...(isGrave ? { color: 'red.8' } : {})} onClick={onConfirm} loading={work.isPending}>
            {confirm}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
