import { Button, TextInput } from '@mantine/core'
import { Search } from 'lucide-react'
import { useState } from 'react'
import { FilterSelect } from '../../ui/filter-select.tsx'
import { count, formatNumber } from '../../ui/format.ts'
import { providerChoices } from '../../api/provider-list.ts'
import { readSourcesSearch, type SourcesSearch, STATE_CHOICES } from './source-filter.ts'
import classes from './source-filters.module.css'

/** Filters sources by name, provider and state. The URL has the filters too. */
export function SourceFilters({
  search,
  shown,
  all,
  onChange,
}: {
  search: SourcesSearch
  /** How many sources match, and how many there are. */
  shown: number
  all: number
  onChange: (search: SourcesSearch) => void
}) {
  // Shows typed text before the URL has it.
  const [name, setName] = useState(search.q ?? '')
  const set = (change: { [part in keyof SourcesSearch]?: string | null }): void =>
    onChange(readSourcesSearch({ ...search, ...change }))
  return (
    <search className={classes.filters}>
      <TextInput
        className={classes.name ?? ''}
        aria-label="Name"
        placeholder="Search by name"
        leftSection={<Search size={15} aria-hidden />}
        value={name}
        maxLength={100}
        onChange={({ currentTarget: { value } }) => {
          setName(value)
          set({ q: value })
        }}
      />
      <FilterSelect
        className={classes.choice ?? ''}
        aria-label="Provider"
        all="All providers"
        data={providerChoices()}
        value={search.from}
        onChange={(from) => set({ from })}
      />
      <FilterSelect
        className={classes.choice ?? ''}
        aria-label="State"
        all="All states"
        data={STATE_CHOICES}
        value={search.state}
        onChange={(state) => set({ state })}
      />
      <span className={classes.count} role="status">
        {shown === all ? count(all, 'source') : `${formatNumber(shown)} of ${formatNumber(all)}`}
      </span>
      {Object.keys(search).length > 0 && (
        <Button
          variant="subtle"
          size="compact-sm"
          onClick={() => {
            setName('')
            onChange({})
          }}
        >
          Clear filters
        </Button>
      )}
    </search>
  )
}
