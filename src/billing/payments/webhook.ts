import { z } from 'zod'
import { within } from '../../background/index.ts'
import type { Db } from '../../database/database.ts'
import { transact } from '../../database/retry-conflicts.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { PaymentProcessor, ProcessorEvent } from '../payment-processor.ts'
import { ensureAccount } from './accounts.ts'
import type { Refresh } from './refresh.ts'
import type { Logger } from '../../kernel/logger.ts'

/** How long the response to an event waits for its effect, which follows in any case. */
const REFRESH_WAIT_MS = 3_000
/** Events processed at once; further ones take effect a second later. */
const WEBHOOKS_MAX = 16

const OrganizationId = z.uuid().toLowerCase()

export interface WebhookRequest {
  rawBody: Buffer
  signature: string | undefined
}

/** Stores an event's notice, then reads the state. Events of unknown organizations are logged and succeed. */
export type ReceiveWebhook = (request: WebhookRequest) => Promise<void>

export function createWebhook(deps: {
  db: Db
  clock: Clock
  processor: PaymentProcessor
  refresh: Refresh
  logger: Logger
}): ReceiveWebhook {
  const { db, clock, processor, refresh, logger } = deps
  let processing = 0
  return async ({ rawBody, signature }) => {
    const event = processor.readEvent(rawBody, signature, clock.now())
    const fields = { eventId: event.id, type: event.type, customerId: event.customerId }
    const organizationId = await findOrganization(db, event)
    if (organizationId === undefined) {
      logger.warn(fields, 'ignored an event from the payment processor that concerns no organization here')
      return
    }
    const taken = await noteEvent(db, organizationId, event, clock.now())
    if (taken === 'of another customer')
      logger.warn(
        { ...fields, organizationId },
        'ignored an event from the payment processor: its organization has another customer',
      )
    if (taken !== 'new' || processing >= WEBHOOKS_MAX) return
    processing += 1
    const refreshed = refresh(organizationId, REFRESH_WAIT_MS).finally(() => {
      processing -= 1
    })
    await within(REFRESH_WAIT_MS, refreshed)
  }
}

/** By its customer, or else by the organization in its metadata. */
async function findOrganization(db: Db, event: ProcessorEvent): Promise<string | undefined> {
  if (event.customerId !== null) {
    const account = await db
      .selectFrom('payment_accounts')
      .select('organization_id')
      .where('customer_id', '=', event.customerId)
      .executeTakeFirst()
    if (account) return account.organization_id
  }
  const named = OrganizationId.safeParse(event.organizationId)
  if (!named.success) return undefined
  const organization = await db
    .selectFrom('organizations')
    .select('id')
    .where('id', '=', named.data)
    .where('removed_at', 'is', null)
    .executeTakeFirst()
  return organization?.id
}

/** Stores a notice once per event. Assigns a new customer to the organization. */
async function noteEvent(
  db: Db,
  organizationId: string,
  { id, type, customerId }: ProcessorEvent,
  at: Date,
): Promise<'new' | 'known' | 'of another customer'> {
  return await transact(db, async (tx) => {
    await ensureAccount(tx, organizationId, at)
    const account = await tx
      .selectFrom('payment_accounts')
      .select('customer_id')
      .where('organization_id', '=', organizationId)
      .forUpdate()
      .executeTakeFirstOrThrow()
    if (account.customer_id !== null && customerId !== null && account.customer_id !== customerId)
      return 'of another customer'
    const inserted = await tx
      .insertInto('payment_events')
      .values({ organization_id: organizationId, event_id: id, type, received_at: at })
      .onConflict((conflict) => conflict.columns(['organization_id', 'event_id']).doNothing())
      .returning('event_id')
      .executeTakeFirst()
    if (!inserted) return 'known'
    await tx
      .updateTable('payment_accounts')
      .set((eb) => ({
        notices: eb('notices', '+', 1),
        not_before: null,
        customer_id: account.customer_id ?? customerId,
      }))
      .where('organization_id', '=', organizationId)
      .execute()
    return 'new'
  })
}
