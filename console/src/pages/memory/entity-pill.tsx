import { Pill } from '@mantine/core'
import { useEntity } from './use-entity.ts'

/** A filter by a name of the memory. */
export function EntityPill({
  id,
  size = 'lg',
  onRemove,
}: {
  id: string
  size?: 'md' | 'lg'
  onRemove: () => void
}) {
  const entity = useEntity(id)
  return (
    <Pill
      size={size}
      withRemoveButton
      onRemove={onRemove}
      removeButtonProps={{ 'aria-label': 'Remove the filter', 'aria-hidden': false, tabIndex: 0 }}
    >
      Naming {entity.data?.entity.label ?? 'one entity'}
    </Pill>
  )
}
