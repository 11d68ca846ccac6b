import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { useDeleteItem } from './use-items.ts'

export function DeleteItemDialog({
  item,
  isOpen,
  onDeleted,
  onClose,
}: {
  /** Undefined: none was chosen yet. */
  item: { id: string; title: string } | undefined
  isOpen: boolean
  /** Called with the outcome in words. */
  onDeleted: (words: string) => void
  onClose: () => void
}) {
  const remove = useDeleteItem(onDeleted)
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title="Delete this item?"
      text={`“${item?.title ?? ''}” can no longer be found or cited. Only a full sync restores it, if it still exists at its provider.`}
      confirm="Delete item"
      work={remove}
      onConfirm={() => item !== undefined && remove.mutate(item.id, { onSuccess: onClose })}
      onClose={onClose}
    />
  )
}
