import { Button, Checkbox, Modal, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { count, formatNumber } from '../../ui/format.ts'
import { TypedConfirmation } from '../../ui/typed-confirmation.tsx'
import classes from './item-list.module.css'
import { useDeleteItems } from './use-items.ts'

/** Selects the visible items, and deletes the selected ones after a typed confirmation. */
export function SelectionBar({
  selected,
  shown,
  note = '',
  onDeleted,
  onSelectAll,
}: {
  selected: readonly string[]
  shown: number
  /** What happened last. */
  note?: string | undefined
  onDeleted: (words: string) => void
  onSelectAll: (isAll: boolean) => void
}) {
  const [isAsked, asking] = useDisclosure(false)
  const remove = useDeleteItems(onDeleted)
  const phrase = `delete ${count(selected.length, 'item')}`
  return (
    <div className={classes.bar} role="group" aria-label="Selection">
      <Checkbox
        size="xs"
        label={`Select all ${formatNumber(shown)} shown`}
        checked={selected.length === shown}
        indeterminate={selected.length > 0 && selected.length < shown}
        onChange={(event) => onSelectAll(event.currentTarget.checked)}
      />
      <span role="status">{selected.length > 0 ? `${formatNumber(selected.length)} selected` : note}</span>
      {selected.length > 0 && (
        <Button size="compact-sm" color="red.8" onClick={asking.open}>
          Delete {formatNumber(selected.length)}
        </Button>
      )}
      <Modal opened={isAsked} onClose={asking.close} title={`Delete ${count(selected.length, 'item')}?`}>
        <TypedConfirmation
          name={phrase}
          confirm="Delete items"
          work={remove}
          onConfirm={() => remove.mutate(selected, { onSuccess: asking.close })}
          onClose={asking.close}
          isFinal={false}
        >
          <Text>
            They can no longer be found or cited. Only a full sync restores them, if they still exist at their
            provider.
          </Text>
        </TypedConfirmation>
      </Modal>
    </div>
  )
}
