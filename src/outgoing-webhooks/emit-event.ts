import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Tx } from '../database/database.ts'
import { type OutgoingEvent, payloadOf } from './events.ts'

/** Emits an event to the workspace's webhooks in the transaction that causes it. */
export async function emitEvent(tx: Tx, organizationId: string, event: OutgoingEvent): Promise<void> {
  const webhooks = await tx
    .selectFrom('outgoing_webhooks')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('status', '=', 'active')
    .where(sql<boolean>`(event_types is null or ${event.type} = any(event_types))`)
    .orderBy('id')
    .forKeyShare()
    .execute()
  const ids = webhooks.map(({ id }) => id)
  if (ids.length > 0) await insertDeliveries(tx, organizationId, ids, event)
}

/** Queues an event for these webhooks, due immediately. @returns the delivery ids in their order */
export async function insertDeliveries(
  tx: Tx,
  organizationId: string,
  webhookIds: readonly string[],
  event: OutgoingEvent,
): Promise<string[]> {
  const eventId = randomUUID()
  const payload = payloadOf(organizationId, event)
  const deliveries = webhookIds.map((webhookId) => ({
    organization_id: organizationId,
    id: randomUUID(),
    webhook_id: webhookId,
    event_id: eventId,
    type: event.type,
    payload,
    next_attempt_at: event.at,
    created_at: event.at,
  }))
  await tx.insertInto('webhook_deliveries').values(deliveries).execute()
  return deliveries.map(({ id }) => id)
}
