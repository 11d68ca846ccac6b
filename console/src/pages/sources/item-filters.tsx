import { Group, Select } from '@mantine/core'
import { PROVIDER_CHOICES } from '../../api/provider-list.ts'
import { type ItemsSearch, KIND_CHOICES } from './items-search.ts'

/** Narrows a list of items by kind, and by provider where it has several. */
export function ItemFilters({
  provider,
  kind,
  withProvider = false,
  onChange,
}: {
  provider?: ItemsSearch['provider'] | undefined
  kind?: ItemsSearch['kind'] | undefined
  withProvider?: boolean
  onChange: (search: ItemsSearch) => void
}) {
  const change = (next: {
    provider?: ItemsSearch['provider'] | undefined
    kind?: ItemsSearch['kind'] | undefined
  }): void => {
    const all = { provider, kind, ...next }
    onChange({
      ...(all.provider === undefined ? {} : { provider: all.provider }),
      ...(all.kind === undefined ? {} : { kind: all.kind }),
    })
  }
  return (
    <Group gap="xs">
      {withProvider && (
        <Select
          aria-label="Provider"
          placeholder="All providers"
          size="xs"
          w={150}
          data={PROVIDER_CHOICES}
          value={provider ?? null}
          onChange={(value) => change({ provider: value ?? undefined })}
          clearable
          clearButtonProps={{ 'aria-label': 'All providers' }}
        />
      )}
      <Select
        aria-label="Kind"
        placeholder="All kinds"
        size="xs"
        w={140}
        data={KIND_CHOICES}
        value={kind ?? null}
        onChange={(value) => change({ kind: value ?? undefined })}
        clearable
        clearButtonProps={{ 'aria-label': 'All kinds' }}
      />
    </Group>
  )
}
