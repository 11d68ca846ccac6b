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
  onSelectAll,
}: {
  selected: readonly string[]
  shown: number
  /** What happened to a single item. */
  note?: string | undefined
  onSelectAll: (isAll: boolean) => void
}) {
  const [isAsked, asking] = useDisclosure(false)
  const remove = useDeleteItems()
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
      <span role="status">{statusOf(selected.length, remove.data) || note}</span>
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

function statusOf(selected: number, outcome: { deleted: number; notFound: number } | undefined): string {
  if (selected > 0) return `${formatNumber(selected)} selected`
  if (outcome === undefined) return ''
  const missing = outcome.notFound === 0 ? '' : ` ${count(outcome.notFound, 'item')} had been deleted before.`
  return `${count(outcome.deleted, 'item')} deleted.${missing}`
}
