import { Button, Group, TextInput } from '@mantine/core'
import { FilterSelect } from '../../ui/filter-select.tsx'
import { useTyped } from '../../ui/use-typed.ts'
import { type AuditFilters, localTime, readFilters, readTime, TARGET_MAX } from './audit-filters.ts'
import { AUDIT_ACTIONS } from './audit-words.ts'
import classes from './audit-page.module.css'
import type { useActors } from './use-actors.ts'

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
  const [target, setTarget] = useTyped(filters.target ?? '', (typed) => set({ target: typed }))
  return (
    <div className={classes.filters}>
      <FilterSelect
        label="Action"
        all="Any action"
        placeholder="Any"
        data={ACTION_CHOICES}
        value={filters.action}
        onChange={(action) => set({ action })}
        searchable
      />
      <FilterSelect
        label="Actor"
        all="Anyone"
        data={withGone(actors.choices, filters.actor)}
        value={filters.actor}
        onChange={(actor) => set({ actor })}
        searchable
      />
      <TextInput
        label="Target"
        placeholder="ID or external ID"
        value={target}
        maxLength={TARGET_MAX}
        onChange={(event) => setTarget(event.currentTarget.value)}
      />
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

/** Adds the actor in the URL if the choices lack it, such as a former member. */
function withGone(choices: ReturnType<typeof useActors>['choices'], actor: string | undefined) {
  if (actor === undefined || choices.some(({ items }) => items.some(({ value }) => value === actor)))
    return choices
  return [...choices, { group: 'Others', items: [{ value: actor, label: actor }] }]
}
