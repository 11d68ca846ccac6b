import { Badge, Table, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { ChevronDown, ChevronRight } from 'lucide-react'
import { useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { type Column, DataRows, TableFrame } from '../../ui/data-table.tsx'
import { EndOfList } from '../../ui/end-of-list.tsx'
import { formatNumber } from '../../ui/format.ts'
import { Reading } from '../../ui/reading.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import type { AuditFilters } from './audit-filters.ts'
import classes from './audit-page.module.css'
import { describeAction } from './audit-words.ts'
import type { AuditGroup } from './merge-groups.ts'
import { TargetName } from './target-name.tsx'
import { type Target, typeWords } from './target-words.ts'
import type { useActors } from './use-actors.ts'
import { useGroupEvents } from './use-trail.ts'

type AuditEvent = Schemas['AuditEvent']

interface Words {
  actors: ReturnType<typeof useActors>
  targetOf: (event: AuditEvent) => Target
  onOpen: (event: AuditEvent) => void
}

/** Events in groups. A group expands in place. */
export function TrailTable({
  groups,
  filters,
  words,
}: {
  groups: readonly AuditGroup[]
  filters: AuditFilters
  words: Words
}) {
  const columns = eventColumns(words)
  return (
    <TableFrame label="Audit events" columns={columns} isCompact>
      {groups.map((group) =>
        group.count === 1 ? (
          <DataRows key={group.event.id} rows={[group.event]} columns={columns} rowKey={({ id }) => id} />
        ) : (
          <Burst key={group.event.id} group={group} filters={filters} words={words} />
        ),
      )}
    </TableFrame>
  )
}

function eventColumns({ actors, targetOf, onOpen }: Words): Column<AuditEvent>[] {
  return [
    {
      label: 'Action',
      cell: (event) => (
        <UnstyledButton className={classes.action ?? ''} data-opens-row onClick={() => onOpen(event)}>
          {describeAction(event.action)}
        </UnstyledButton>
      ),
    },
    { label: 'Actor', isShort: true, cell: (event) => actors.nameOf(event) },
    { label: 'Target', cell: (event) => <TargetName target={targetOf(event)} /> },
    { label: 'When', cell: ({ createdAt }) => <RelativeTime at={createdAt} />, isAtEnd: true },
  ]
}

/** A group in one row, which expands to one row per event. */
function Burst({ group, filters, words }: { group: AuditGroup; filters: AuditFilters; words: Words }) {
  const [isOpen, setOpen] = useState(false)
  const { event, count, oldestAt } = group
  const number = `${formatNumber(count)}${group.isOpen ? '+' : ''}`
  const Chevron = isOpen ? ChevronDown : ChevronRight
  const columns: Column<AuditGroup>[] = [
    {
      label: 'Action',
      cell: () => (
        <UnstyledButton
          className={classes.burst ?? ''}
          data-opens-row
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          <Chevron size={15} aria-hidden />
          {describeAction(event.action)}
          <Badge variant="light" tt="none">
            {number}
          </Badge>
          <VisuallyHidden>events</VisuallyHidden>
        </UnstyledButton>
      ),
    },
    { label: 'Actor', isShort: true, cell: () => words.actors.nameOf(event) },
    { label: 'Target', cell: () => typeWords(event.targetType) },
    { label: 'When', cell: () => <RelativeTime at={event.createdAt} />, isAtEnd: true },
  ]
  return (
    <>
      <DataRows rows={[group]} columns={columns} rowKey={() => 'burst'} />
      {isOpen && <BurstEvents event={event} oldestAt={oldestAt} filters={filters} words={words} />}
    </>
  )
}

function BurstEvents({
  event,
  oldestAt,
  filters,
  words,
}: Pick<AuditGroup, 'event' | 'oldestAt'> & { filters: AuditFilters; words: Words }) {
  const events = useGroupEvents({ event, oldestAt }, filters)
  const columns = eventColumns(words)
  return (
    <>
      <DataRows rows={events.rows} columns={columns} rowKey={({ id }) => id} isNested />
      {(events.data === undefined || events.hasNextPage) && (
        <Table.Tbody role="rowgroup">
          <Table.Tr role="row">
            <Table.Td role="cell" colSpan={columns.length} data-label="">
              <Reading query={events}>{() => <EndOfList pages={events} isAsked />}</Reading>
            </Table.Td>
          </Table.Tr>
        </Table.Tbody>
      )}
    </>
  )
}
