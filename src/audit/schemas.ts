import { z } from 'zod'
import { count, EXAMPLE_ID, moment, shownId, text } from '../kernel/schemas.ts'

export const AuditEvent = z
  .object({
    id: shownId("The event's ID.", EXAMPLE_ID.auditEvent),
    organizationId: shownId('The workspace.', EXAMPLE_ID.organization),
    actorUserId: z
      .uuid()
      .nullable()
      .meta({ description: 'The person who acted; null for a key.', example: null }),
    actorApiKeyId: z
      .uuid()
      .nullable()
      .meta({ description: 'The key that acted; null for a person.', example: EXAMPLE_ID.apiKey }),
    action: text('The action.', 'context.retrieve'),
    targetType: text('Type of the changed object.', 'context_contract'),
    targetId: text("The object's ID.", EXAMPLE_ID.request),
    metadata: z.record(z.string(), z.unknown()).meta({
      description: 'Details that depend on the action; never content.',
      example: {
        requestId: EXAMPLE_ID.request,
        query: 'How many vacation days do I get?',
        hitCount: 1,
        citationCount: 1,
        exclusionCount: 0,
        providers: ['notion'],
      },
    }),
    createdAt: moment('Time of the action.'),
  })
  .meta({ id: 'AuditEvent', description: 'An action of a person or a key.' })
export type AuditEvent = z.output<typeof AuditEvent>

export const EventGroup = z
  .object({
    event: AuditEvent.describe('The newest event.'),
    count: count('Number of events.', 24),
    oldestAt: moment('Time of the oldest event.'),
    isOpen: z.boolean().meta({
      description: 'Whether the first group of the next page may continue it.',
      example: false,
    }),
  })
  .meta({
    id: 'AuditEventGroup',
    description: 'Consecutive events of one action and actor, each within ten minutes of the previous one.',
  })
export type EventGroup = z.output<typeof EventGroup>
