import { Button, TextInput } from '@mantine/core'
import { FilterSelect } from '../../ui/filter-select.tsx'
import { useNow } from '../../ui/relative-time.tsx'
import { useTyped } from '../../ui/use-typed.ts'
import { type RequestFilters, readDevelopersSearch } from './developers-search.ts'
import { loggedDays } from './logged-days.ts'
import classes from './request-log-panel.module.css'
import { useApiKeys } from './use-api-keys.ts'

const STATUSES = [
  { value: '2xx', label: '2xx: served' },
  { value: '4xx', label: '4xx: refused' },
  { value: '429', label: '429: over a limit' },
  { value: '5xx', label: '5xx: failed' },
]

/** Filters of the request log. The URL has them too. */
export function RequestFilterBar({
  filters,
  onChange,
}: {
  filters: RequestFilters
  onChange: (filters: RequestFilters) => void
}) {
  const keys = useApiKeys().data ?? []
  const now = useNow()
  const set = (change: { [name in keyof RequestFilters]?: string | null }): void =>
    onChange(readDevelopersSearch({ ...filters, ...change }))
  const [path, setPath] = useTyped(filters.path ?? '', (typed) => set({ path: typed }))
  return (
    <div className={classes.filters}>
      <FilterSelect
        label="Key"
        all="Any key"
        placeholder="Any"
        data={withChosen(
          keys.map(({ id, name, prefix }) => ({ value: id, label: `${name} (${prefix}…)` })),
          filters.key,
        )}
        value={filters.key}
        onChange={(key) => set({ key })}
        searchable
      />
      <FilterSelect
        label="Status"
        all="Any status"
        placeholder="Any"
        data={withChosen(STATUSES, filters.status)}
        value={filters.status}
        onChange={(status) => set({ status })}
      />
      <FilterSelect
        label="Day"
        all="Any day"
        placeholder="Any"
        data={withChosen(loggedDays(new Date(now)), filters.day)}
        value={filters.day}
        onChange={(day) => set({ day })}
      />
      <TextInput
        label="Path"
        placeholder="/v1/search"
        value={path}
        maxLength={200}
        onChange={(event) => setPath(event.currentTarget.value)}
      />
      {Object.keys(filters).length > 0 && (
        <Button variant="subtle" onClick={() => onChange({})}>
          Clear filters
        </Button>
      )}
    </div>
  )
}

/** Adds the chosen value if the choices lack it: the URL can name a revoked key. */
function withChosen(choices: { value: string; label: string }[], chosen: string | undefined) {
  if (chosen === undefined || choices.some(({ value }) => value === chosen)) return choices
  return [...choices, { value: chosen, label: chosen }]
}
