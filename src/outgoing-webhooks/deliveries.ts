import { isLeaseFree } from '../background/index.ts'
import type { Db, Tx } from '../database/database.ts'
import { transact } from '../database/retry-conflicts.ts'
import { readPage } from '../database/list-page.ts'
import type { Row } from '../database/schema.ts'
import type { Clock } from '../kernel/clock.ts'
import { AppError } from '../kernel/errors.ts'
import type { Caller } from '../kernel/caller.ts'
import { insertDeliveries } from './emit-event.ts'
import { messageId } from './sending/attempt.ts'
import { record } from './webhooks.ts'
import type { Delivery, DeliveryQuery } from './schemas.ts'

export interface Deliveries {
  /** A page of a webhook's deliveries, newest first. @throws AppError `not_found`, `validation_failed` */
  list(
    organizationId: string,
    webhookId: string,
    page: DeliveryQuery,
  ): Promise<{ deliveries: Delivery[]; nextCursor: string | null }>
  /** Sends a `webhook.test`. @throws AppError `not_found`, `webhook_disabled` */
  test(caller: Caller, webhookId: string): Promise<Delivery>
  /** Resends an event under the same id, with fresh retries. @throws AppError `not_found`, `webhook_disabled` */
  replay(caller: Caller, id: string): Promise<Delivery>
}

/** Past and pending deliveries of a workspace's webhooks. */
export function createDeliveries(deps: { db: Db; clock: Clock; onQueued: () => void }): Deliveries {
  const { db, clock } = deps
  const queue = async (act: (tx: Tx) => Promise<Delivery>): Promise<Delivery> => {
    const delivery = await transact(db, act)
    deps.onQueued()
    return delivery
  }
  return {
    async list(organizationId, webhookId, { status, ...query }) {
      await requireWebhook(db, organizationId, webhookId)
      let rows = db
        .selectFrom('webhook_deliveries')
        .selectAll()
        .where('organization_id', '=', organizationId)
        .where('webhook_id', '=', webhookId)
      if (status !== undefined) rows = rows.where('status', '=', status)
      const list = ['webhook-deliveries', organizationId, webhookId, status]
      const { page, nextCursor } = await readPage(rows, list, { at: 'created_at', id: 'id' }, query)
      return { deliveries: page.map(toView), nextCursor }
    },
    test: (caller, webhookId) =>
      queue(async (tx) => {
        const { organizationId } = caller
        await requireActive(tx, organizationId, webhookId)
        const at = clock.now()
        const event = { type: 'webhook.test', at, data: { webhookId } } as const
        const [id = ''] = await insertDeliveries(tx, organizationId, [webhookId], event)
        await record(tx, caller, 'webhook.test', webhookId, { deliveryId: id }, at)
        return toView(await find(tx, organizationId, id))
      }),
    replay: (caller, id) =>
      queue(async (tx) => {
        const { organizationId } = caller
        const at = clock.now()
        const { webhook_id: webhookId, type } = await find(tx, organizationId, id)
        await requireActive(tx, organizationId, webhookId)
        await tx
          .updateTable('webhook_deliveries')
          .set({ status: 'pending', attempts: 0, next_attempt_at: at, error: null })
          .where('organization_id', '=', organizationId)
          .where('id', '=', id)
          // A delivery being sent now is already under way.
          .where(isLeaseFree('lease_expires_at'))
          .execute()
        await record(tx, caller, 'webhook.replay', webhookId, { deliveryId: id, type }, at)
        return toView(await find(tx, organizationId, id))
      }),
  }
}

async function find(db: Db, organizationId: string, id: string): Promise<Row<'webhook_deliveries'>> {
  const row = await db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!row) throw new AppError('not_found', 'There is no such delivery')
  return row
}

/** Locks the webhook against removal until the transaction ends. */
async function requireActive(tx: Tx, organizationId: string, id: string): Promise<void> {
  const { status } = await requireWebhook(tx, organizationId, id, 'kept')
  if (status !== 'active') throw new AppError('webhook_disabled', 'The webhook is disabled; enable it first')
}

async function requireWebhook(db: Db, organizationId: string, id: string, keep?: 'kept') {
  const one = db
    .selectFrom('outgoing_webhooks')
    .select('status')
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
  const row = await (keep ? one.forKeyShare() : one).executeTakeFirst()
  if (!row) throw new AppError('not_found', 'There is no such webhook')
  return row
}

function toView(row: Row<'webhook_deliveries'>): Delivery {
  return {
    id: row.id,
    webhookId: row.webhook_id,
    messageId: messageId(row.event_id),
    type: row.type,
    status: row.status,
    attempts: row.attempts,
    nextAttemptAt: row.status === 'pending' ? row.next_attempt_at.toISOString() : null,
    lastAttemptAt: row.last_attempt_at?.toISOString() ?? null,
    responseStatus: row.response_status,
    error: row.error,
    createdAt: row.created_at.toISOString(),
  }
}
