import { Button, CloseButton, Group, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'
import { count } from '../../ui/format.ts'
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
import { neighboursOf } from './rows.ts'
import type { Canvas } from './use-canvas.ts'
import { useEntity } from './use-entity.ts'

interface NodePanelProps {
  id: string
  canvas: Canvas | undefined
  search: MemorySearch
  onChange: (search: MemorySearch) => void
}

/** A node's names, its neighbors, and the items that name it. Takes the focus when it opens. */
export function NodePanel({ id, canvas, search, onChange }: NodePanelProps) {
  const node = canvas?.nodes.find((one) => one.id === id)
  const panel = useRef<HTMLDivElement>(null)
  useEffect(() => panel.current?.focus(), [])
  const { node: _, around: _around, ...closed } = search
  const open = (next: string): void => onChange({ ...closed, node: next })
  const around = (
    <Button
      fullWidth
      variant="default"
      onClick={() => onChange({ ...closed, node: id, ...(search.around ? {} : { around: true }) })}
    >
      {search.around ? 'Show the whole memory' : 'Show only what is around it'}
    </Button>
  )
  return (
    <div ref={panel} tabIndex={-1} className={classes.panel} role="group" aria-label="The chosen name">
      <Panel>
        <Group justify="flex-end" className={classes.close}>
          <CloseButton aria-label="Close" onClick={() => onChange(closed)} />
        </Group>
        {node?.kind === 'source' ? (
          <SourceNode node={node} canvas={canvas} around={around} onOpen={open} />
        ) : (
          <EntityNode id={id} around={around} onOpen={open} />
        )}
      </Panel>
    </div>
  )
}

function EntityNode({ id, around, onOpen }: { id: string; around: ReactNode; onOpen: (id: string) => void }) {
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
            Search within these items
          </ButtonLink>
          {around}
          <Neighbours nodes={neighbours} onOpen={onOpen} />
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

function SourceNode({
  node,
  canvas,
  around,
  onOpen,
}: {
  node: CanvasNode
  canvas: Canvas | undefined
  around: ReactNode
  onOpen: (id: string) => void
}) {
  const near = neighboursOf(canvas?.edges ?? []).get(node.id)
  const nodes = canvas?.nodes.filter(({ id }) => near?.has(id) ?? false) ?? []
  return (
    <Stack gap="md">
      <Heading type={node.type} label={node.label} />
      <Text size="sm" c="dimmed">
        {count(node.weight, 'item of it has', 'items of it have')} been read.
      </Text>
      <ButtonLink to="/ask" search={{ mode: 'search', source: node.id }} fullWidth>
        Search this source
      </ButtonLink>
      {around}
      <Neighbours nodes={nodes} onOpen={onOpen} />
    </Stack>
  )
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
  onOpen,
}: {
  nodes: readonly Pick<CanvasNode, 'id' | 'type' | 'label'>[]
  onOpen: (id: string) => void
}) {
  if (nodes.length === 0) return null
  return (
    <section aria-label="Related names">
      <Text fw={560} size="sm" mb={6}>
        Related names
      </Text>
      <ul className={classes.neighbours}>
        {nodes.map(({ id, type, label }) => (
          <li key={id}>
            <button type="button" className={classes.neighbour} onClick={() => onOpen(id)}>
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
    <section aria-label="Items that name it">
      <Text fw={560} size="sm">
        Items that name it
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
