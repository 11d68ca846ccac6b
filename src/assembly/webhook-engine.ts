import type { Metrics } from '../health/index.ts'
import type { OpenApiWebhook } from '../http/openapi.ts'
import { lockOrganization } from '../organizations/index.ts'
import {
  createOutgoingWebhooks,
  EVENT_TYPES,
  EVENTS,
  type OutgoingWebhooks,
  payloadSchema,
} from '../outgoing-webhooks/index.ts'
import { secretCipher } from './encryption-keys.ts'
import type { Foundation } from './foundation.ts'

export const webhookEvents: readonly OpenApiWebhook[] = EVENT_TYPES.map((name) => ({
  name,
  summary: EVENTS[name].summary,
  payload: payloadSchema(name),
}))

/** Creates the webhooks, with the encryption of their secrets and their metrics. */
export function createWebhookEngine(
  deps: Foundation & {
    metrics: Metrics
  },
): OutgoingWebhooks {
  const { settings, database, clock, logger, metrics } = deps
  const outgoing = createOutgoingWebhooks({
    db: database.db,
    clock,
    random: Math.random,
    findCipher: () => secretCipher(settings),
    allowsPrivate: settings.WEBHOOK_ALLOW_PRIVATE_ADDRESSES,
    lockOrganization,
    onAttempt: metrics.observeWebhook,
    // No person or key acted, so there is no audit event.
    onDisabled: (webhook) => logger.warn(webhook, 'a webhook was disabled: nothing can be delivered to it'),
    onError: (err) => logger.error({ err }, 'webhooks: background work failed; will retry'),
  })
  metrics.watchWebhooks(outgoing.lag)
  return outgoing
}
