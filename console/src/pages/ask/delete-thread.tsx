import { ActionIcon, type ActionIconProps, Tooltip } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { Trash2 } from 'lucide-react'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { useDeleteThreads } from './use-threads.ts'

/** Deletes a thread and returns to an empty page. */
export function DeleteThread({
  id,
  label,
  ...look
}: { id: string; label: string } & Pick<ActionIconProps, 'size' | 'variant' | 'color'>) {
  const [isAsked, asking] = useDisclosure(false)
  const remove = useDeleteThreads()
  const navigate = useNavigate({ from: '/ask' })
  const forget = (): void => {
    asking.close()
    void navigate({ search: {} })
  }
  return (
    <>
      <Tooltip label={label}>
        <ActionIcon variant="default" {...look} aria-label={label} onClick={asking.open}>
          <Trash2 size={16} aria-hidden />
        </ActionIcon>
      </Tooltip>
      <ConfirmDialog
        isOpen={isAsked}
        title="Delete this thread?"
        text="Its questions and answers are deleted. This cannot be undone."
        confirm="Delete the thread"
        work={remove}
        onConfirm={() => remove.mutate(id, { onSuccess: forget })}
        onClose={asking.close}
      />
    </>
  )
}
