import { SegmentedControl, TextInput } from '@mantine/core'
import { Search } from 'lucide-react'
import { providerIds, providerName } from '../../api/provider-list.ts'
import { FilterSelect } from '../../ui/filter-select.tsx'
import { useTyped } from '../../ui/use-typed.ts'
import { KINDS } from './kinds.ts'
import classes from './memory-filters.module.css'
import { type MemorySearch, NAME_KINDS, SINCE, type Since } from './memory-search.ts'

const SINCE_NAMES: Record<Since, string> = {
  week: 'Last 7 days',
  month: 'Last 30 days',
  year: 'Last year',
}

export function MemoryFilters({
  search,
  onChange,
}: {
  search: MemorySearch
  onChange: (search: MemorySearch, replace?: boolean) => void
}) {
  const set = (change: { [Name in keyof MemorySearch]?: MemorySearch[Name] | null }, replace = false): void =>
    onChange(withChange(search, change), replace)
  return (
    <section aria-label="Filters" className={classes.filters}>
      <Find q={search.q ?? ''} onFind={(q) => set({ q: q === '' ? null : q }, true)} />
      <FilterSelect
        aria-label="Kind"
        all="All kinds"
        value={search.type}
        disabled={search.view === 'changes'}
        data={NAME_KINDS.map((type) => ({ value: type, label: KINDS[type].many }))}
        onChange={(type) => set({ type })}
      />
      <FilterSelect
        aria-label="Provider"
        all="All providers"
        value={search.provider}
        data={providerIds().map((id) => ({ value: id, label: providerName(id) ?? id }))}
        onChange={(provider) => set({ provider })}
      />
      <FilterSelect
        aria-label="Since"
        all="All time"
        value={search.since}
        data={SINCE.map((since) => ({ value: since, label: SINCE_NAMES[since] }))}
        onChange={(since) => set({ since })}
      />
      <SegmentedControl
        aria-label="View"
        data={[
          { value: 'graph', label: 'Graph' },
          { value: 'table', label: 'Table' },
          { value: 'changes', label: 'Changes' },
        ]}
        value={search.view ?? 'graph'}
        onChange={(view) => set({ view: view === 'table' || view === 'changes' ? view : null })}
      />
    </section>
  )
}

function Find({ q, onFind }: { q: string; onFind: (q: string) => void }) {
  const [text, setText] = useTyped(q, onFind)
  return (
    <TextInput
      aria-label="Find in the memory"
      placeholder="Find a name or a topic"
      leftSection={<Search size={16} aria-hidden />}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
    />
  )
}

/** `null` removes a parameter. */
function withChange(
  search: MemorySearch,
  change: { [Name in keyof MemorySearch]?: MemorySearch[Name] | null },
): MemorySearch {
  const kept = Object.entries({ ...search, ...change }).filter(([, value]) => value !== null)
  return Object.fromEntries(kept)
}
