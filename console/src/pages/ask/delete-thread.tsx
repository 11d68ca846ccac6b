import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { useDeleteThreads } from './use-threads.ts'

/** Deletes the open thread and returns to an empty page. */
export function DeleteThread({ id }: { id: string }) {
  const [isAsked, asking] = useDisclosure(false)
  const remove = useDeleteThreads()
  const navigate = useNavigate({ from: '/ask' })
  return (
    <>
      <Button variant="default" onClick={asking.open}>
        Delete thread
      </Button>
      <ConfirmDialog
        isOpen={isAsked}
        title="Delete this thread?"
        text="Its questions and answers are deleted. This cannot be undone."
        confirm="Delete the thread"
        work={remove}
        onConfirm={() => remove.mutate(id, { onSuccess: () => void navigate({ search: {} }) })}
        onClose={asking.close}
      />
    </>
  )
}
