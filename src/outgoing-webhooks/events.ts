import { z } from 'zod'
import { ENDED_SYNC_RUN_STATUSES } from '../database/schema-words.ts'
import { ACTIONS, ACTOR_TYPES } from '../kernel/actions.ts'
import { ROLES } from '../kernel/roles.ts'
import { count, EXAMPLE_ID, moment, momentOrNull, shownId, text, textOrNull } from '../kernel/schemas.ts'
import { PROVIDERS, providerOf } from '../providers/index.ts'

const organization = shownId('The workspace in which it happened.', EXAMPLE_ID.organization)
const sourceFields = {
  organizationId: organization,
  sourceId: shownId("The source's ID.", EXAMPLE_ID.source),
  provider: providerOf("The source's provider."),
  displayName: text('Display name of the source.', 'Acme handbook'),
}
const keyFields = {
  organizationId: organization,
  apiKeyId: shownId("The key's ID.", EXAMPLE_ID.apiKey),
  name: text('The name of the key.', 'Support bot'),
  prefix: text('The first characters of the secret.', 'svc_Zk3vQ9aL'),
  actorType: z.enum(ACTOR_TYPES).meta({ description: 'Who uses the key.', example: 'agent' }),
  allowedActions: z
    .array(z.enum(ACTIONS))
    .meta({ description: 'The actions that the key can use.', example: ['search', 'context', 'ask'] }),
  allowedProviders: z
    .array(z.enum(PROVIDERS))
    .nullable()
    .meta({ description: 'Providers whose items the key can read; null: all.', example: null }),
}

const memberFields = {
  organizationId: organization,
  userId: shownId("The member's ID.", EXAMPLE_ID.user),
  role: z.enum(ROLES).meta({ description: "The member's role.", example: 'member' }),
}

/** Every webhook event, with the fields of `data`: metadata only, no stored content. Undeclared fields are not sent. */
export const EVENTS = {
  'source.error': {
    summary: 'A source stopped working',
    data: z.object({
      ...sourceFields,
      errorMessage: text("The source's `errorMessage`.", 'The grant has ended'),
    }),
  },
  'source.active': {
    summary: 'A source became active: its first sync has finished, or it has recovered from an error',
    data: z.object({
      ...sourceFields,
      previousStatus: z
        .enum(['pending', 'error'])
        .meta({ description: 'The previous status.', example: 'error' }),
    }),
  },
  'sync_run.finished': {
    summary: 'A sync run, including a poll, has ended',
    data: z.object({
      organizationId: organization,
      syncRunId: shownId("The run's ID.", EXAMPLE_ID.syncRun),
      sourceId: sourceFields.sourceId,
      provider: sourceFields.provider,
      status: z.enum(ENDED_SYNC_RUN_STATUSES).meta({ description: 'How it ended.', example: 'succeeded' }),
      fullResync: z.boolean().meta({ description: 'Whether it was a full resync.', example: false }),
      itemsDiscovered: count('Items that the provider listed.', 12),
      itemsIngested: count('Items that were new or had changed.', 3),
      itemsDeleted: count('Items that were deleted.', 1),
      startedAt: momentOrNull('When a worker started it; null: not started.'),
      finishedAt: moment('When it ended.', '2026-03-02T09:31:07.000Z'),
    }),
  },
  'credits.low': {
    summary: "80% or 100% of the period's credits are used; sent once for each period and cap",
    data: z.object({
      organizationId: organization,
      percent: z.union([z.literal(80), z.literal(100)]).meta({
        description: 'The percentage of the credits that is used, at least.',
        example: 80,
      }),
      creditsUsed: count('Credits used, including those of requests in flight.', 4000),
      creditsIncluded: count('Credits of the period.', 5000),
      periodStart: moment('When the period began.', '2026-03-01T00:00:00.000Z'),
      periodEnd: moment('When the next credit period begins.', '2026-04-01T00:00:00.000Z'),
    }),
  },
  'subscription.updated': {
    summary: "The workspace's plan has changed",
    data: z.object({
      organizationId: organization,
      status: text("The subscription's status.", 'active'),
      previousStatus: text('The previous status.', 'trialing'),
      tier: textOrNull("The plan's tier; null: none.", 'studio'),
      previousTier: textOrNull('The previous tier; null: none.', 'studio'),
      cancelAtPeriodEnd: z
        .boolean()
        .meta({ description: 'Whether the plan ends with the current period.', example: false }),
      plannedChange: z
        .object({
          at: moment('When the change takes effect.', '2026-04-01T00:00:00.000Z'),
          tier: textOrNull('The new tier; null: the plan ends.', 'builder'),
          interval: textOrNull('The new billing interval; null: the plan ends.', 'monthly'),
        })
        .nullable()
        .meta({ description: 'A planned change; null: none.', example: null }),
    }),
  },
  'api_key.created': { summary: 'An API key was created', data: z.object(keyFields) },
  'api_key.revoked': { summary: 'An API key was revoked', data: z.object(keyFields) },
  'member.joined': { summary: 'A person became a member of the workspace', data: z.object(memberFields) },
  'member.updated': {
    summary: "A member's role has changed",
    data: z.object({
      ...memberFields,
      previousRole: z.enum(ROLES).meta({ description: 'The previous role.', example: 'admin' }),
    }),
  },
  'member.removed': {
    summary: 'A member left the workspace, or was removed',
    data: z.object(memberFields),
  },
  'webhook.test': {
    summary: 'A person tested the webhook; sent only to this webhook, whatever its event types',
    data: z.object({
      organizationId: organization,
      webhookId: shownId("The webhook's ID.", EXAMPLE_ID.webhook),
    }),
  },
} as const satisfies Record<string, { summary: string; data: z.ZodObject }>

export type EventType = keyof typeof EVENTS

/** The event types in the list's order. */
export const EVENT_TYPES = Object.keys(EVENTS) as [EventType, ...EventType[]]

/** An event as its slice reports it; `at` is its time. The workspace's id is added later. */
export type OutgoingEvent = {
  [Type in EventType]: {
    type: Type
    at: Date
    data: Omit<z.input<(typeof EVENTS)[Type]['data']>, 'organizationId'>
  }
}[EventType]

/** The body of a webhook request (Standard Webhooks). */
export function payloadSchema(type: EventType): z.ZodObject {
  const { summary, data } = EVENTS[type]
  return z
    .object({
      type: z.literal(type).describe('What happened.'),
      timestamp: moment('When it happened.'),
      data,
    })
    .meta({ description: `${summary}.` })
}

/** The payload's bytes, identical for every webhook and attempt. */
export function payloadOf(organizationId: string, { type, at, data }: OutgoingEvent): string {
  const whole = { type, timestamp: at.toISOString(), data: { organizationId, ...data } }
  return JSON.stringify(payloadSchema(type).parse(whole))
}
