import { TextInput, VisuallyHidden } from '@mantine/core'
import { Search } from 'lucide-react'
import { type KeyboardEvent, useId, useState } from 'react'
import { count } from '../ui/format.ts'
import type { Entry, EntryGroup } from './entries.ts'
import { ProviderSign } from '../ui/provider.tsx'
import classes from './palette.module.css'
import { useEntries } from './use-entries.ts'

const QUERY_CHARACTERS_MAX = 1_000

/**
 * A combobox whose list is always open. The focus stays in the field, and arrow keys move through the list
 * (https://www.w3.org/WAI/ARIA/apg/patterns/combobox/).
 */
export function PaletteSearch({ onRun }: { onRun: (entry: Entry) => void }) {
  const [query, setQuery] = useState('')
  const [place, setPlace] = useState(0)
  const groups = useEntries(query)
  const entries = groups.flatMap((group) => group.entries)
  // Results can shrink between renders.
  const at = Math.min(place, entries.length - 1)
  const active = entries[at]
  const id = useId()
  const listId = `${id}-list`
  const optionId = (entry: Entry): string => `${id}-${entry.id}`
  const move = (event: KeyboardEvent): void => {
    const next = nextPlace(event.key, at, entries.length)
    if (next !== null) {
      event.preventDefault()
      setPlace(next)
    } else if (event.key === 'Enter' && !event.nativeEvent.isComposing && active !== undefined) {
      event.preventDefault()
      onRun(active)
    }
  }
  return (
    <>
      <TextInput
        data-autofocus
        variant="unstyled"
        size="md"
        className={classes.field ?? ''}
        leftSection={<Search size={17} aria-hidden />}
        role="combobox"
        aria-label="Search pages, sources, keys and items, or ask"
        aria-expanded
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={active === undefined ? undefined : optionId(active)}
        placeholder="Search or ask"
        autoComplete="off"
        spellCheck={false}
        maxLength={QUERY_CHARACTERS_MAX}
        value={query}
        onChange={(event) => {
          setQuery(event.currentTarget.value)
          setPlace(0)
        }}
        onKeyDown={move}
      />
      <EntryList id={listId} groups={groups} active={active} optionId={optionId} onRun={onRun} />
      <VisuallyHidden role="status">{count(entries.length, 'result')}</VisuallyHidden>
    </>
  )
}

/** The entry that a key moves to, wrapping at both ends; null if the key does not move. */
function nextPlace(key: string, at: number, length: number): number | null {
  if (length === 0) return null
  switch (key) {
    case 'ArrowDown':
      return (at + 1) % length
    case 'ArrowUp':
      return (at - 1 + length) % length
    default:
      return null
  }
}

function EntryList({
  id,
  groups,
  active,
  optionId,
  onRun,
}: {
  id: string
  groups: readonly EntryGroup[]
  active: Entry | undefined
  optionId: (entry: Entry) => string
  onRun: (entry: Entry) => void
}) {
  const activeId = active?.id
  return (
    <div id={id} role="listbox" aria-label="Results" className={classes.list}>
      {groups.map((group) => (
        <div key={group.label} role="group" aria-label={group.label}>
          <div className={classes.group} aria-hidden>
            {group.label}
          </div>
          {group.entries.map((entry) => (
            // Keys are handled by the field.
            // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
            <div
              key={entry.id}
              id={optionId(entry)}
              ref={entry.id === activeId ? scrollIntoView : undefined}
              role="option"
              aria-selected={entry.id === activeId}
              className={classes.option}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => onRun(entry)}
            >
              {entry.provider === undefined ? (
                <entry.icon size={16} aria-hidden />
              ) : (
                <ProviderSign id={entry.provider} />
              )}
              <span className={classes.label}>{entry.label}</span>
              {entry.hint !== undefined && <span className={classes.hint}>{entry.hint}</span>}
            </div>
          ))}
        </div>
      ))}
    </div>
  )
}

function scrollIntoView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'nearest' })
}
