import { z } from 'zod'
import { DELIVERY_ERRORS, DELIVERY_STATUSES, WEBHOOK_DISABLED_REASONS } from '../database/schema-words.ts'
import {
  count,
  distinct,
  EXAMPLE_ID,
  label,
  moment,
  momentOrNull,
  pageCursor,
  shownId,
  text,
  textOrNull,
} from '../kernel/schemas.ts'
import { EVENT_TYPES } from './events.ts'

const URL_CHARACTERS_MAX = 2_000

const EVENT_TYPES_WORDS = 'The types of events it receives; null: all, including types added later.'

export const Webhook = z
  .object({
    id: shownId("The webhook's ID.", EXAMPLE_ID.webhook),
    url: text('The URL that receives the events.', 'https://hooks.example.com/memory'),
    description: textOrNull('Purpose of the webhook.', 'Alerts of the platform team'),
    eventTypes: z
      .array(z.string())
      .nullable()
      .meta({ description: EVENT_TYPES_WORDS, example: ['source.error', 'source.active'] }),
    status: z
      .enum(['active', 'disabled'])
      .meta({ description: 'Whether the webhook receives events.', example: 'active' }),
    disabledReason: z.enum(WEBHOOK_DISABLED_REASONS).nullable().meta({
      description:
        'Why it is disabled: by a person, after a 410 response, or after three days of failed attempts; null: it is enabled.',
      example: null,
    }),
    notice: textOrNull('A problem and what to do about it.', null),
    failingSince: momentOrNull('When deliveries began to fail; null: the last attempt succeeded.', null),
    previousSecretExpiresAt: momentOrNull(
      'When the previous secret stops signing; null: there is none.',
      null,
    ),
    createdAt: moment('When it was created.'),
    updatedAt: moment('When it was last changed.'),
  })
  .meta({ id: 'Webhook', description: 'A URL that receives events, without its secret.' })
export type Webhook = z.output<typeof Webhook>

export const Delivery = z
  .object({
    id: shownId("The delivery's ID.", EXAMPLE_ID.delivery),
    webhookId: shownId('The webhook that receives the event.', EXAMPLE_ID.webhook),
    messageId: text('The `webhook-id` header, the same for every attempt.', `msg_${EXAMPLE_ID.delivery}`),
    type: text('What happened.', 'source.error'),
    status: z.enum(DELIVERY_STATUSES).meta({ description: 'The status.', example: 'delivered' }),
    attempts: count('Number of attempts.', 1),
    nextAttemptAt: momentOrNull('Time of the next attempt; null: none.', null),
    lastAttemptAt: momentOrNull('Time of the last attempt; null: none yet.'),
    responseStatus: z
      .int()
      .nullable()
      .meta({ description: 'The HTTP status of the last response; null: there was none.', example: 204 }),
    error: z
      .enum(DELIVERY_ERRORS)
      .nullable()
      .meta({ description: 'Why the last attempt failed; null: it did not.', example: null }),
    createdAt: moment('When the event happened.'),
  })
  .meta({ id: 'WebhookDelivery', description: 'The delivery of an event to a webhook.' })
export type Delivery = z.output<typeof Delivery>

const url = z.string().max(URL_CHARACTERS_MAX).meta({
  description: 'The https URL that receives the events.',
  example: 'https://hooks.example.com/memory',
})

const description = label
  .nullable()
  .optional()
  .meta({ description: 'Purpose of the webhook.', example: 'Alerts of the platform team' })

// A test goes to its webhook whatever that subscribes to.
const eventTypes = distinct(z.enum(EVENT_TYPES).exclude(['webhook.test']))
  .nullable()
  .optional()
  .meta({ description: EVENT_TYPES_WORDS, example: ['source.error', 'source.active'] })

export const NewWebhook = z
  .strictObject({ url, description, eventTypes })
  .meta({ id: 'NewWebhook', description: 'The webhook to create.' })
export type NewWebhook = z.output<typeof NewWebhook>

export const WebhookChange = z
  .strictObject({
    url: url.optional(),
    description,
    eventTypes,
    status: z
      .enum(['active', 'disabled'])
      .optional()
      .meta({ description: 'Enables or disables the webhook.', example: 'active' }),
  })
  .meta({ id: 'WebhookChange', description: 'The fields to change.' })
export type WebhookChange = z.output<typeof WebhookChange>

export const DeliveryQuery = z.strictObject({
  status: z
    .enum(DELIVERY_STATUSES)
    .optional()
    .meta({ description: 'Only deliveries with this status.', example: 'failed' }),
  cursor: pageCursor,
  limit: z.coerce.number().int().min(1).max(200).default(50).describe('Maximum number of deliveries.'),
})
export type DeliveryQuery = z.output<typeof DeliveryQuery>
