import { Group, Select, TextInput } from '@mantine/core'
import { Search } from 'lucide-react'
import { PROVIDER_CHOICES } from '../../api/provider-list.ts'
import { useTyped } from '../../ui/use-typed.ts'
import { type ItemsSearch, KIND_CHOICES } from './items-search.ts'

/** Narrows a list of items by title and kind, and by provider where it has several. */
export function ItemFilters({
  filters,
  withProvider = false,
  onChange,
}: {
  filters: ItemsSearch
  withProvider?: boolean
  onChange: (search: ItemsSearch) => void
}) {
  const { item: _, ...kept } = filters
  const change = (name: 'provider' | 'kind' | 'title', value: string | null): void => {
    const { [name]: _before, ...others } = kept
    onChange(value === null || value === '' ? others : { ...others, [name]: value })
  }
  return (
    <Group gap="xs">
      <Title title={kept.title ?? ''} onFind={(title) => change('title', title)} />
      {withProvider && (
        <Select
          aria-label="Provider"
          placeholder="All providers"
          size="xs"
          w={150}
          data={PROVIDER_CHOICES}
          value={kept.provider ?? null}
          onChange={(value) => change('provider', value)}
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
        value={kept.kind ?? null}
        onChange={(value) => change('kind', value)}
        clearable
        clearButtonProps={{ 'aria-label': 'All kinds' }}
      />
    </Group>
  )
}

function Title({ title, onFind }: { title: string; onFind: (title: string) => void }) {
  const [text, setText] = useTyped(title, onFind)
  return (
    <TextInput
      aria-label="Find by title"
      placeholder="Find by title"
      size="xs"
      w={180}
      maxLength={200}
      leftSection={<Search size={14} aria-hidden />}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
    />
  )
}
