import { Button, Select, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useState } from 'react'
import { useNow } from '../../ui/relative-time.tsx'
import { type RequestFilters, readDevelopersSearch } from './developers-search.ts'
import { loggedDays } from './logged-days.ts'
import classes from './request-log-panel.module.css'
import { useApiKeys } from './use-api-keys.ts'

const TYPING_MS = 300
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
  const [path, setPath] = useState(filters.path ?? '')
  const set = (change: { [name in keyof RequestFilters]?: string | null }): void =>
    onChange(readDevelopersSearch({ ...filters, ...change }))
  const setPathLater = useDebouncedCallback((typed: string) => set({ path: typed.trim() }), TYPING_MS)
  return (
    <div className={classes.filters}>
      <Select
        label="Key"
        placeholder="Any"
        data={withChosen(
          keys.map(({ id, name, prefix }) => ({ value: id, label: `${name} (${prefix}…)` })),
          filters.key,
        )}
        value={filters.key ?? null}
        onChange={(key) => set({ key })}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': 'Any key' }}
      />
      <Select
        label="Status"
        placeholder="Any"
        data={withChosen(STATUSES, filters.status)}
        value={filters.status ?? null}
        onChange={(status) => set({ status })}
        clearable
        clearButtonProps={{ 'aria-label': 'Any status' }}
      />
      <Select
        label="Day"
        placeholder="Any"
        data={withChosen(loggedDays(new Date(now)), filters.day)}
        value={filters.day ?? null}
        onChange={(day) => set({ day })}
        clearable
        clearButtonProps={{ 'aria-label': 'Any day' }}
      />
      <TextInput
        label="Path"
        placeholder="/v1/search"
        value={path}
        maxLength={200}
        onChange={(event) => {
          setPath(event.currentTarget.value)
          setPathLater(event.currentTarget.value)
        }}
      />
      {Object.keys(filters).length > 0 && (
        <Button
          variant="subtle"
          onClick={() => {
            setPath('')
            onChange({})
          }}
        >
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
