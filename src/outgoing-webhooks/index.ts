export {
  createOutgoingWebhooks,
  type OutgoingWebhookDependencies,
  type OutgoingWebhooks,
} from './outgoing-webhooks.ts'
export { emitEvent } from './emit-event.ts'
export { EVENT_TYPES, EVENTS, payloadSchema } from './events.ts'
export { webhookRoutes } from './routes.ts'
