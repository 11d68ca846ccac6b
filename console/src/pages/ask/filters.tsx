import { Button, Chip, Group, Pill, Select, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { SlidersHorizontal } from 'lucide-react'
import { useId, useState } from 'react'
import { useWorkspace } from '../../session/workspace.tsx'
import { isUnused, nameOf as nameOfSource } from '../sources/source-words.ts'
import { useSources } from '../sources/use-sources.ts'
import {
  type AskSearch,
  filterOf,
  SOURCE_KINDS,
  type SourceKind,
  without,
  withoutFilter,
} from './ask-search.ts'
import { type ProviderId, providerIds, providerName } from '../../api/provider-list.ts'
import { FilterSelect } from '../../ui/filter-select.tsx'
import { EntityPill } from '../memory/entity-pill.tsx'
import classes from './filters.module.css'

const KIND_NAMES: Record<SourceKind, string> = { message: 'Messages', document: 'Documents', file: 'Files' }

/** Search filters. Each change updates the URL immediately. */
export function Filters({ search, onChange }: { search: AskSearch; onChange: (search: AskSearch) => void }) {
  const { isAdmin } = useWorkspace()
  const [isOpen, { toggle }] = useDisclosure(filterOf(search) !== undefined)
  const filters = useId()
  return (
    <section aria-label="Filters" className={classes.filters} data-open={isOpen} id={filters}>
      <Button
        className={classes.toggle ?? ''}
        variant="default"
        leftSection={<SlidersHorizontal size={15} aria-hidden />}
        aria-expanded={isOpen}
        aria-controls={filters}
        onClick={toggle}
      >
        Filters
      </Button>
      <Choice<ProviderId>
        label="Provider"
        known={providerIds()}
        chosen={search.providers ?? []}
        nameOf={(id) => providerName(id) ?? id}
        onChange={(providers) => onChange(withChoice(search, { providers }))}
      />
      <Choice<SourceKind>
        label="Kind"
        known={SOURCE_KINDS}
        chosen={search.kinds ?? []}
        nameOf={(kind) => KIND_NAMES[kind]}
        onChange={(kinds) => onChange(withChoice(search, { kinds }))}
      />
      <Fields search={search} onChange={onChange} />
      <Group gap="sm">
        {search.entity !== undefined && (
          <EntityPill id={search.entity} onRemove={() => onChange(withText(search, 'entity', ''))} />
        )}
        {!isAdmin && search.source !== undefined && (
          <Pill withRemoveButton onRemove={() => onChange(withText(search, 'source', ''))}>
            Source
          </Pill>
        )}
        {filterOf(search) !== undefined && (
          <Button variant="subtle" size="compact-sm" onClick={() => onChange(withoutFilter(search))}>
            Clear filters
          </Button>
        )}
      </Group>
    </section>
  )
}

function Fields({ search, onChange }: { search: AskSearch; onChange: (search: AskSearch) => void }) {
  const { isAdmin } = useWorkspace()
  return (
    <div className={classes.fields}>
      <Field
        key={`author ${search.author}`}
        label="Author"
        placeholder="Full name"
        value={search.author ?? ''}
        onChange={(author) => onChange(withText(search, 'author', author))}
      />
      <Field
        key={`from ${search.from}`}
        label="Updated from"
        type="date"
        value={search.from ?? ''}
        onChange={(from) => onChange(withText(search, 'from', from))}
      />
      <Field
        key={`to ${search.to}`}
        label="Updated until"
        type="date"
        value={search.to ?? ''}
        onChange={(to) => onChange(withText(search, 'to', to))}
      />
      {isAdmin && <SourceChoice search={search} onChange={onChange} />}
      <Select
        label="Order"
        size="sm"
        allowDeselect={false}
        value={search.rank ?? 'hybrid'}
        data={[
          { value: 'hybrid', label: 'Hybrid' },
          { value: 'vector', label: 'Meaning only' },
        ]}
        onChange={(rank) => onChange(withText(search, 'rank', rank === 'vector' ? 'vector' : ''))}
      />
    </div>
  )
}

function Choice<Id extends string>({
  label,
  known,
  chosen,
  nameOf,
  onChange,
}: {
  label: string
  known: readonly Id[]
  chosen: readonly Id[]
  nameOf: (id: Id) => string
  onChange: (chosen: Id[]) => void
}) {
  const id = useId()
  return (
    <div role="group" aria-labelledby={id} className={classes.choice}>
      <Text size="sm" fw={520} id={id}>
        {label}
      </Text>
      <Group gap={6}>
        {known.map((one) => (
          <Chip
            key={one}
            size="xs"
            variant="outline"
            checked={chosen.includes(one)}
            onChange={(isChosen) =>
              onChange(known.filter((other) => (other === one ? isChosen : chosen.includes(other))))
            }
          >
            {nameOf(one)}
          </Chip>
        ))}
      </Group>
    </div>
  )
}

/** Updates the URL on blur or Enter, not on each keystroke: each search costs a credit. */
function Field({
  label,
  value,
  onChange,
  type = 'text',
  placeholder,
}: {
  label: string
  value: string
  onChange: (value: string) => void
  type?: 'text' | 'date'
  placeholder?: string
}) {
  const [written, setWritten] = useState(value)
  const done = (): void => {
    if (written.trim() !== value) onChange(written.trim())
  }
  return (
    <TextInput
      label={label}
      size="sm"
      type={type}
      {...(placeholder === undefined ? {} : { placeholder })}
      maxLength={1_000}
      value={written}
      onChange={(event) => setWritten(event.currentTarget.value)}
      onBlur={done}
      onKeyDown={(event) => {
        if (event.key === 'Enter') done()
      }}
    />
  )
}

function SourceChoice({ search, onChange }: { search: AskSearch; onChange: (search: AskSearch) => void }) {
  const sources = useSources()
  return (
    <FilterSelect
      label="Source"
      size="sm"
      all="Any source"
      placeholder="Any"
      value={search.source}
      data={(sources.data ?? [])
        .filter((source) => !isUnused(source) || source.id === search.source)
        .map((source) => ({ value: source.id, label: nameOfSource(source) }))}
      onChange={(source) => onChange(withText(search, 'source', source ?? ''))}
    />
  )
}

type TextField = 'author' | 'from' | 'to' | 'source' | 'entity' | 'rank'

function withText(search: AskSearch, field: TextField, value: string): AskSearch {
  const rest = without(search, field)
  return value === '' ? rest : { ...rest, [field]: value }
}

/** An empty choice removes the filter. */
function withChoice(
  search: AskSearch,
  choice: Pick<AskSearch, 'providers'> | Pick<AskSearch, 'kinds'>,
): AskSearch {
  const isEmpty = Object.values(choice).every((chosen) => chosen.length === 0)
  return isEmpty ? without(search, 'providers' in choice ? 'providers' : 'kinds') : { ...search, ...choice }
}
