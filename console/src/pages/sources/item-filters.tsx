import { Button, TextInput } from '@mantine/core'
import { Search } from 'lucide-react'
import { FilterSelect } from '../../ui/filter-select.tsx'
import { EntityPill } from '../memory/entity-pill.tsx'
import { useTyped } from '../../ui/use-typed.ts'
import classes from './item-filters.module.css'
import {
  ACCESS_CHOICES,
  type filtersOf,
  type ItemsSearch,
  KIND_CHOICES,
  originChoices,
  readItemsSearch,
} from './items-search.ts'
import { isUnused, nameOf } from './source-words.ts'
import { useSources } from './use-sources.ts'

type Filters = ReturnType<typeof filtersOf>

const CHOICE = { className: classes.choice ?? '', size: 'xs' } as const

/** Filters of an item list. The URL has them too. */
export function ItemFilters({
  filters,
  isOfSource = false,
  onChange,
}: {
  filters: Filters
  /** Hides the source and provider filters, because all items are from one source. */
  isOfSource?: boolean
  onChange: (search: ItemsSearch) => void
}) {
  const set = (change: { [name in keyof Filters]?: string | null }): void =>
    onChange(readItemsSearch({ ...filters, ...change }))
  const [text, setText] = useTyped(filters.q ?? '', (q) => set({ q }))
  return (
    <search className={classes.filters} aria-label="Filter items">
      <TextInput
        className={classes.text ?? ''}
        aria-label="Search title and text"
        placeholder="Search title and text"
        size="xs"
        maxLength={200}
        leftSection={<Search size={14} aria-hidden />}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      {!isOfSource && (
        <>
          <SourceChoice value={filters.source} onChange={(source) => set({ source })} />
          <FilterSelect
            {...CHOICE}
            aria-label="Provider"
            all="All providers"
            data={originChoices()}
            value={filters.provider}
            onChange={(provider) => set({ provider })}
          />
        </>
      )}
      <FilterSelect
        {...CHOICE}
        aria-label="Kind"
        all="All kinds"
        data={KIND_CHOICES}
        value={filters.kind}
        onChange={(kind) => set({ kind })}
      />
      <FilterSelect
        {...CHOICE}
        aria-label="Access"
        all="Any access"
        data={[...ACCESS_CHOICES]}
        value={filters.access}
        onChange={(access) => set({ access })}
      />
      <div className={classes.days} role="group" aria-label="Changed">
        <Day label="Changed from" value={filters.from} onChange={(from) => set({ from })} />
        <Day label="to" name="Changed to" value={filters.to} onChange={(to) => set({ to })} />
      </div>
      {filters.entity !== undefined && (
        <EntityPill id={filters.entity} size="md" onRemove={() => set({ entity: null })} />
      )}
      {Object.keys(filters).length > 0 && (
        <Button variant="subtle" size="compact-sm" onClick={() => onChange({})}>
          Clear filters
        </Button>
      )}
    </search>
  )
}

/** Sources with at least one item. */
function SourceChoice({
  value,
  onChange,
}: {
  value: string | undefined
  onChange: (id: string | null) => void
}) {
  const sources = useSources()
  const data = (sources.data ?? [])
    .filter((source) => !isUnused(source) || source.id === value)
    .map((source) => ({ value: source.id, label: nameOf(source) }))
  return (
    <FilterSelect
      {...CHOICE}
      aria-label="Source"
      all="All sources"
      data={data}
      value={value}
      searchable
      onChange={onChange}
    />
  )
}

function Day({
  label,
  name = label,
  value,
  onChange,
}: {
  label: string
  /** The accessible name. */
  name?: string
  value: string | undefined
  onChange: (day: string) => void
}) {
  return (
    <div className={classes.day}>
      <span aria-hidden>{label}</span>
      <TextInput
        type="date"
        aria-label={name}
        size="xs"
        value={value ?? ''}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </div>
  )
}
