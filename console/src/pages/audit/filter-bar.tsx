import { Button, Group, Select, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'
import { type AuditFilters, localTime, readFilters, readTime, TARGET_MAX } from './audit-filters.ts'
import { AUDIT_ACTIONS } from './audit-words.ts'
import classes from './audit-page.module.css'
import type { useActors } from './use-actors.ts'

const TYPING_MS = 300
const ACTION_CHOICES = Object.entries(AUDIT_ACTIONS).map(([value, label]) => ({ value, label }))

/** Filters of the trail. The URL has them too. */
export function FilterBar({
  filters,
  actors,
  onChange,
}: {
  filters: AuditFilters
  actors: ReturnType<typeof useActors>
  onChange: (filters: AuditFilters) => void
}) {
  const set = (change: { [name in keyof AuditFilters]?: string | null }): void =>
    onChange(readFilters({ ...filters, ...change }))
  return (
    <div className={classes.filters}>
      <Select
        label="Action"
        placeholder="Any"
        data={ACTION_CHOICES}
        value={filters.action ?? null}
        onChange={(action) => set({ action })}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': 'Any action' }}
      />
      <Select
        label="Actor"
        placeholder="Anyone"
        data={withGone(actors.choices, filters.actor)}
        value={filters.actor ?? null}
        onChange={(actor) => set({ actor })}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': 'Anyone' }}
      />
      <TargetInput value={filters.target ?? ''} onChange={(target) => set({ target })} />
      <TextInput
        label="From"
        type="datetime-local"
        value={filters.from === undefined ? '' : localTime(filters.from)}
        onChange={(event) => set({ from: readTime(event.currentTarget.value) })}
      />
      <TextInput
        label="Until"
        type="datetime-local"
        value={filters.to === undefined ? '' : localTime(filters.to)}
        onChange={(event) => set({ to: readTime(event.currentTarget.value) })}
      />
      {Object.keys(filters).length > 0 && (
        <Group align="flex-end">
          <Button variant="subtle" onClick={() => onChange({})}>
            Clear filters
          </Button>
        </Group>
      )}
    </div>
  )
}

/** Debounces typing, and follows other changes such as a reset of the filters. */
function TargetInput({ value, onChange }: { value: string; onChange: (target: string) => void }) {
  const [text, setText] = useState(value)
  const input = useRef<HTMLInputElement>(null)
  const tell = useDebouncedCallback(onChange, TYPING_MS)
  useEffect(() => {
    if (document.activeElement !== input.current) setText(value)
  }, [value])
  return (
    <TextInput
      ref={input}
      label="Target"
      placeholder="ID or external ID"
      value={text}
      maxLength={TARGET_MAX}
      onChange={(event) => {
        setText(event.currentTarget.value)
        tell(event.currentTarget.value.trim())
      }}
    />
  )
}

/** Adds the actor in the URL if the choices lack it, such as a former member. */
function withGone(choices: ReturnType<typeof useActors>['choices'], actor: string | undefined) {
  if (actor === undefined || choices.some(({ items }) => items.some(({ value }) => value === actor)))
    return choices
  return [...choices, { group: 'Others', items: [{ value: actor, label: actor }] }]
}
