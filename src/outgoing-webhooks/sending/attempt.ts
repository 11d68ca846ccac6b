import { acquireLease, isLeaseFree, type Lease, NO_LEASE, releaseLease } from '../../background/index.ts'
import type { Db, Tx } from '../../database/database.ts'
import { transact } from '../../database/retry-conflicts.ts'
import type { DeliveryError, Row, WebhookDisabledReason } from '../../database/schema.ts'
import { retryAfterMs } from '../../kernel/retry-after.ts'
import type { SecretCipher } from '../../kernel/secret-cipher.ts'
import { contextOf } from '../secrets.ts'
import type { SendFault, SendResult } from './send.ts'
import { ATTEMPTS_MAX, FAILING_MS, waitAfter } from './schedule.ts'

/** Well over an attempt's timeout: a process that holds one longer has died. */
const LEASE_SECONDS = 60

export interface DeliveryRef {
  organizationId: string
  id: string
}

/** A delivery under a lease, so that no other process attempts it. */
export interface Taken extends DeliveryRef {
  lease: Lease<'webhook_deliveries'>
  webhookId: string
  url: string
  /** The same for every attempt. */
  messageId: string
  payload: string
  /** Including this one. */
  attempts: number
  /** The signing secrets, current one first; null: the deployment's key does not decrypt them. */
  secrets: string[] | null
}

export type AttemptEnd = {
  outcome: 'delivered' | 'retried' | 'failed'
  disabled: WebhookDisabledReason | null
}

/** `webhook-id`: receivers use it to detect duplicates. */
export function messageId(eventId: string): string {
  return `msg_${eventId}`
}

/** Begins an attempt of a free, due delivery; null without one. Fails those disabled or never settled. */
export async function beginAttempt(
  db: Db,
  { organizationId, id }: DeliveryRef,
  cipher: SecretCipher | null,
  now: Date,
): Promise<Taken | null> {
  return await transact(db, async (tx) => {
    const delivery = await tx
      .selectFrom('webhook_deliveries')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .where('id', '=', id)
      .where('status', '=', 'pending')
      .where('next_attempt_at', '<=', now)
      .where(isLeaseFree('lease_expires_at'))
      .forUpdate()
      .executeTakeFirst()
    if (!delivery) return null
    const webhook = await tx
      .selectFrom('outgoing_webhooks')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .where('id', '=', delivery.webhook_id)
      .executeTakeFirstOrThrow()
    if (webhook.status === 'disabled') {
      await fail(tx, delivery, 'webhook_disabled')
      return null
    }
    if (delivery.attempts >= ATTEMPTS_MAX) {
      await fail(tx, delivery, delivery.error)
      return null
    }
    const attempts = delivery.attempts + 1
    const lease = await acquireLease(
      tx,
      { table: 'webhook_deliveries', key: { organization_id: organizationId, id } },
      { seconds: LEASE_SECONDS, set: { attempts, last_attempt_at: now } },
    )
    if (lease === null) return null
    return {
      organizationId,
      id,
      lease,
      webhookId: webhook.id,
      url: webhook.url,
      messageId: messageId(delivery.event_id),
      payload: delivery.payload,
      attempts,
      secrets: secretsOf(webhook, cipher, now),
    }
  })
}

/** The secrets that sign now; null when one cannot be decrypted. */
function secretsOf(
  webhook: Row<'outgoing_webhooks'>,
  cipher: SecretCipher | null,
  now: Date,
): string[] | null {
  const { previous_secret_ciphertext: previous, previous_secret_expires_at: expiresAt } = webhook
  const signing = [webhook.secret_ciphertext]
  if (previous !== null && expiresAt !== null && expiresAt > now) signing.push(previous)
  const context = contextOf(webhook.organization_id, webhook.id)
  try {
    return cipher && signing.map((ciphertext) => cipher.decrypt(ciphertext, context))
  } catch {
    // No key fits. The delivery reports it and is retried as usual.
    return null
  }
}

/** The error of a result; null on success. */
function errorOf(result: SendResult | { fault: 'secret_unreadable' }): DeliveryError | null {
  if ('fault' in result) return result.fault satisfies SendFault | 'secret_unreadable'
  const { status } = result
  if (status >= 200 && status < 300) return null
  if (status === 410) return 'gone'
  return status >= 300 && status < 400 ? 'redirected' : 'refused'
}

/** Records an attempt's end, the next one's time and the effect on the webhook. Null: the lease was lost. */
export async function endAttempt(
  db: Db,
  taken: Taken,
  result: SendResult | { fault: 'secret_unreadable' },
  { now, random }: { now: Date; random: number },
): Promise<AttemptEnd | null> {
  const error = errorOf(result)
  const asked = 'status' in result ? retryAfterMs(result.retryAfter, now) : undefined
  const wait = waitAfter(taken.attempts, random, asked)
  const isOver = error === 'gone' || wait === null
  const status = error === null ? 'delivered' : isOver ? 'failed' : 'pending'
  const set = {
    status,
    error,
    response_status: 'status' in result ? result.status : null,
    ...(status === 'pending' ? { next_attempt_at: new Date(now.getTime() + (wait ?? 0)) } : {}),
  } as const
  return await transact(db, async (tx) => {
    if (!(await releaseLease(tx, taken.lease, { set }))) return null
    const disabled = await noteHealth(tx, taken, error, now)
    return { outcome: status === 'pending' ? 'retried' : status, disabled }
  })
}

/** Undoes an interrupted attempt: it does not count, and any process repeats it. */
export async function cancelAttempt(db: Db, taken: Taken): Promise<void> {
  await releaseLease(db, taken.lease, { set: { attempts: taken.attempts - 1 } })
}

async function fail(tx: Tx, delivery: Row<'webhook_deliveries'>, error: DeliveryError | null): Promise<void> {
  await tx
    .updateTable('webhook_deliveries')
    .set({ status: 'failed', error, ...NO_LEASE })
    .where('organization_id', '=', delivery.organization_id)
    .where('id', '=', delivery.id)
    .execute()
}

/** Records when deliveries began to fail. Disables a webhook that returned 410 or has failed for three days. */
async function noteHealth(
  tx: Tx,
  { organizationId, webhookId, url }: Taken,
  error: DeliveryError | null,
  now: Date,
): Promise<WebhookDisabledReason | null> {
  const webhook = await tx
    .selectFrom('outgoing_webhooks')
    .select(['status', 'failing_since', 'url'])
    .where('organization_id', '=', organizationId)
    .where('id', '=', webhookId)
    .forNoKeyUpdate()
    .executeTakeFirst()
  // What its former address answered says nothing about a new one.
  if (!webhook || webhook.status === 'disabled' || webhook.url !== url) return null
  const since = error === null ? null : (webhook.failing_since ?? now)
  const isFailing = since !== null && now.getTime() - since.getTime() >= FAILING_MS
  const disabled = error === 'gone' ? 'gone' : isFailing ? 'failing' : null
  if (disabled === null && since?.getTime() === webhook.failing_since?.getTime()) return null
  await tx
    .updateTable('outgoing_webhooks')
    .set({
      failing_since: since,
      ...(disabled === null ? {} : { status: 'disabled', disabled_reason: disabled, updated_at: now }),
    })
    .where('organization_id', '=', organizationId)
    .where('id', '=', webhookId)
    .execute()
  return disabled
}
