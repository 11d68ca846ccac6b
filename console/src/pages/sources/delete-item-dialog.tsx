import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { useDeleteItem } from './use-items.ts'

export function DeleteItemDialog({
  itemId,
  onDeleted,
  onClose,
}: {
  /** Undefined: closed. */
  itemId: string | undefined
  onDeleted?: () => void
  onClose: () => void
}) {
  const remove = useDeleteItem()
  return (
    <ConfirmDialog
      isOpen={itemId !== undefined}
      title="Delete this item?"
      text="The item can no longer be found or cited. Only a full sync restores it, if it still exists at its provider."
      confirm="Delete item"
      isBusy={remove.isPending}
      error={remove.error}
      onConfirm={() =>
        itemId !== undefined &&
        remove.mutate(itemId, {
          onSuccess: () => {
            onClose()
            onDeleted?.()
          },
        })
      }
      onClose={onClose}
    />
  )
}
