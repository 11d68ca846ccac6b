import { Button, Code, Drawer, Group, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Schemas } from '../../api/client.ts'
import { CodeBlock } from '../../ui/code-block.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { TextLink } from '../../ui/links.tsx'
import { formatDateTime } from '../../ui/relative-time.tsx'
import type { AuditFilters } from './audit-filters.ts'
import classes from './audit-page.module.css'
import { describeAction } from './audit-words.ts'
import { eventFacts } from './event-facts.ts'
import { TargetName } from './target-name.tsx'
import { type Target, typeWords } from './target-words.ts'

type AuditEvent = Schemas['AuditEvent']

/** All recorded fields of an event, with filters for similar events. */
export function EventDetails({
  event,
  actor,
  target,
  onFilter,
  onClose,
}: {
  event: AuditEvent | null
  actor: string
  target: Target | null
  onFilter: (filters: AuditFilters) => void
  onClose: () => void
}) {
  return (
    <Drawer
      opened={event !== null}
      onClose={onClose}
      position="right"
      size="34rem"
      title={event === null ? '' : describeAction(event.action)}
      closeButtonProps={{ 'aria-label': 'Close the event' }}
    >
      {event && <Facts event={event} actor={actor} target={target} onFilter={onFilter} />}
    </Drawer>
  )
}

function Facts({
  event,
  actor,
  target,
  onFilter,
}: {
  event: AuditEvent
  actor: string
  target: Target | null
  onFilter: (filters: AuditFilters) => void
}) {
  const actorId = event.actorUserId ?? event.actorApiKeyId
  return (
    <Stack>
      <dl className={classes.facts}>
        <Fact name="Action">
          <Code>{event.action}</Code>
        </Fact>
        <Fact name="Time">{formatDateTime(event.createdAt)}</Fact>
        <Fact name="Actor">
          {event.actorApiKeyId === null ? (
            actor
          ) : (
            <TextLink to="/developers/keys/$keyId" params={{ keyId: event.actorApiKeyId }} inherit>
              {actor}
            </TextLink>
          )}
          {actorId !== null && <Id value={actorId} of="the actor" />}
        </Fact>
        <Fact name="Target">
          {target !== null && <TargetName target={target} />}
          {target?.name !== typeWords(event.targetType) && <div>{typeWords(event.targetType)}</div>}
          <Id value={event.targetId} of="the target" />
        </Fact>
        {eventFacts(event.metadata, event.targetId).map(([name, value]) => (
          <Fact key={name} name={name}>
            {value}
          </Fact>
        ))}
        <Fact name="Event ID">
          <Id value={event.id} of="the event" />
        </Fact>
      </dl>
      <details>
        <summary className={classes.summary}>Metadata as JSON</summary>
        <CodeBlock label="the metadata" text={JSON.stringify(event.metadata, null, 2)} wraps />
      </details>
      <Group>
        {actorId !== null && (
          <Button variant="default" size="xs" onClick={() => onFilter({ actor: actorId })}>
            Filter by actor
          </Button>
        )}
        <Button variant="default" size="xs" onClick={() => onFilter({ target: event.targetId })}>
          Filter by target
        </Button>
      </Group>
    </Stack>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  )
}

function Id({ value, of }: { value: string; of: string }) {
  return (
    <span className={classes.id}>
      <Code>{value}</Code>
      <CopyButton value={value} label={`Copy the ID of ${of}`} />
    </span>
  )
}
