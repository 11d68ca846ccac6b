import { Button, CloseButton, Group, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'
import { useWorkspace } from '../../session/workspace.tsx'
import { count, formatNumber } from '../../ui/format.ts'
import { ButtonLink, ItemTitle } from '../../ui/links.tsx'
import { Panel } from '../../ui/panel.tsx'
import { plainText } from '../../ui/plain-text.ts'
import { ProviderIcon } from '../../ui/provider.tsx'
import { Reading } from '../../ui/reading.tsx'
import { formatDate } from '../../ui/relative-time.tsx'
import { type CanvasNode, KINDS, kindOf } from './kinds.ts'
import { KindDot } from './legend.tsx'
import type { MemorySearch } from './memory-search.ts'
import classes from './node-panel.module.css'
import { useEntity } from './use-entity.ts'

interface NodePanelProps {
  id: string
  /** The names in the drawing; `null` without a drawing. */
  drawn: ReadonlySet<string> | null
  search: MemorySearch
  onChange: (search: MemorySearch) => void
}

/** A node's names, its neighbors, and the items that name it. Takes the focus when it opens. */
export function NodePanel({ id, drawn, search, onChange }: NodePanelProps) {
  const panel = useRef<HTMLDivElement>(null)
  useEffect(() => panel.current?.focus(), [])
  const { node: _, around: _around, ...closed } = search
  const open = (next: string): void => onChange({ ...closed, node: next })
  const around = (
    <Button
      variant="default"
      size="xs"
      onClick={() => onChange({ ...closed, node: id, ...(search.around ? {} : { around: true }) })}
    >
      {search.around ? 'Show all names' : 'Show related names only'}
    </Button>
  )
  return (
    <div ref={panel} tabIndex={-1} className={classes.panel} role="group" aria-label="The chosen name">
      <Panel>
        <Group justify="flex-end" className={classes.close}>
          <CloseButton aria-label="Close" onClick={() => onChange(closed)} />
        </Group>
        <EntityNode id={id} around={around} drawn={drawn} onOpen={open} />
      </Panel>
    </div>
  )
}

function EntityNode({
  id,
  around,
  drawn,
  onOpen,
}: {
  id: string
  around: ReactNode
  drawn: ReadonlySet<string> | null
  onOpen: (id: string) => void
}) {
  const { isAdmin } = useWorkspace()
  const entity = useEntity(id)
  return (
    <Reading query={entity}>
      {({ entity: { type, label, aliases, weight, firstSeenAt, lastSeenAt }, neighbours, items }) => (
        <Stack gap="md">
          <Heading type={type} label={label} />
          <Text size="sm" c="dimmed">
            {count(weight, 'item names', 'items name')} {type === 'person' ? 'this person' : 'it'},{' '}
            {timeInWords(firstSeenAt, lastSeenAt)}.{aliasesInWords(label, aliases)}
          </Text>
          <ButtonLink to="/ask" search={{ mode: 'search', entity: id }} fullWidth>
            Search these items
          </ButtonLink>
          <Group gap="xs">
            {isAdmin && (
              <ButtonLink to="/sources/items" search={{ entity: id }} variant="default" size="xs">
                Show {count(weight, 'item')}
              </ButtonLink>
            )}
            {around}
          </Group>
          <Neighbours nodes={neighbours} drawn={drawn} onOpen={onOpen} />
          <Items items={items} />
        </Stack>
      )}
    </Reading>
  )
}

function timeInWords(first: string, last: string): string {
  const [from, to] = [formatDate(first), formatDate(last)]
  return from === to ? `on ${from}` : `from ${from} to ${to}`
}

/** The other names, without those that differ only in case. */
function aliasesInWords(label: string, aliases: readonly string[]): string {
  const others = new Map(aliases.map((alias) => [alias.toLowerCase(), alias]))
  others.delete(label.toLowerCase())
  return others.size === 0 ? '' : ` Also: ${[...others.values()].join(', ')}.`
}

function Heading({ type, label }: Pick<CanvasNode, 'type' | 'label'>) {
  const kind = kindOf({ type, label })
  return (
    <div>
      <span className={classes.kind}>
        <KindDot kind={kind} />
        {KINDS[kind].one}
      </span>
      <Title order={2} size="h4" className={classes.label}>
        {label}
      </Title>
    </div>
  )
}

function Neighbours({
  nodes,
  drawn,
  onOpen,
}: {
  nodes: readonly Pick<CanvasNode, 'id' | 'type' | 'label'>[]
  drawn: ReadonlySet<string> | null
  onOpen: (id: string) => void
}) {
  if (nodes.length === 0) return null
  const undrawn = drawn === null ? 0 : nodes.filter(({ id }) => !drawn.has(id)).length
  return (
    <section aria-label="Related names">
      <Text fw={560} size="sm" mb={6}>
        Related names
        {undrawn > 0 && (
          <Text span size="sm" c="dimmed" fw={400}>
            {` · ${formatNumber(undrawn)} not in the graph`}
          </Text>
        )}
      </Text>
      <ul className={classes.neighbours}>
        {nodes.map(({ id, type, label }) => (
          <li key={id}>
            <button
              type="button"
              className={classes.neighbour}
              data-undrawn={drawn !== null && !drawn.has(id)}
              onClick={() => onOpen(id)}
            >
              <KindDot kind={kindOf({ type, label })} />
              {label}
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}

type EntityItem = Parameters<typeof Items>[0]['items'][number]

function Items({
  items,
}: {
  items: readonly {
    sourceItemId: string
    title: string
    url: string | null
    provider: Parameters<typeof ProviderIcon>[0]['id']
    snippet: string
  }[]
}) {
  return (
    <section aria-label="Items">
      <Text fw={560} size="sm">
        Items
      </Text>
      <ul className={classes.items}>
        {items.map((item: EntityItem) => (
          <li key={item.sourceItemId}>
            <ProviderIcon id={item.provider} />
            <div className={classes.item}>
              <Text size="sm" fw={520} component="div">
                <ItemTitle id={item.sourceItemId} title={item.title} url={item.url} />
              </Text>
              <Text size="sm" c="dimmed" lineClamp={3}>
                {plainText(item.snippet)}
              </Text>
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}
