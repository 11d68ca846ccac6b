import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { type AuditAction, recordEvent } from '../audit/index.ts'
import type { Db, Tx } from '../database/database.ts'
import { transact } from '../database/retry-conflicts.ts'
import type { Row, WebhookDisabledReason } from '../database/schema.ts'
import { type Clock, DAY_MS } from '../kernel/clock.ts'
import { AppError } from '../kernel/errors.ts'
import type { Caller } from '../kernel/caller.ts'
import { checkUrl } from './check-url.ts'
import { contextOf, type FindCipher, newSecret } from './secrets.ts'
import type { Webhook, NewWebhook, WebhookChange } from './schemas.ts'

export interface Webhooks {
  /** The workspace's webhooks, newest first. */
  list(organizationId: string): Promise<Webhook[]>
  /** @throws AppError `not_found` */
  get(organizationId: string, id: string): Promise<Webhook>
  /** @throws AppError `webhook_limit_reached`, `validation_failed` for its URL, `not_configured` without a key */
  create(caller: Caller, webhook: NewWebhook): Promise<{ webhook: Webhook; secret: string }>
  /** @throws AppError `not_found`, `validation_failed` for its URL */
  change(caller: Caller, id: string, change: WebhookChange): Promise<Webhook>
  /** Replaces its secret; the previous one also signs for a day. @throws AppError `not_found`, `not_configured` */
  rotate(caller: Caller, id: string): Promise<{ webhook: Webhook; secret: string }>
  /** Removes it with its deliveries. @throws AppError `not_found` */
  remove(caller: Caller, id: string): Promise<{ webhook: Webhook; deletedAt: string }>
}

export interface WebhookDependencies {
  db: Db
  clock: Clock
  findCipher: FindCipher
  allowsPrivate: boolean
  /** Locks the organization's row until the transaction ends, which serializes creations. */
  lockOrganization: (tx: Tx, organizationId: string) => Promise<void>
}

export const WEBHOOKS_MAX = 20
/** How long a replaced secret continues to sign. */
export const PREVIOUS_SECRET_MS = DAY_MS

const NOTICES: Record<WebhookDisabledReason, string | null> = {
  person: null,
  gone: 'Disabled: it returned 410 Gone. Enable it when its address accepts events again.',
  failing:
    'Disabled: nothing could be delivered for three days. Fix its address, enable it, and replay failed events.',
}

/** A workspace's webhooks for users: create, change, remove. */
export function createWebhooks(deps: WebhookDependencies): Webhooks {
  const { db, clock, allowsPrivate } = deps
  const inTransaction = <T>(act: (tx: Tx, at: Date) => Promise<T>): Promise<T> =>
    transact(db, (tx) => act(tx, clock.now()))
  return {
    async list(organizationId) {
      const rows = await select(db, organizationId).orderBy('created_at', 'desc').orderBy('id').execute()
      return rows.map(toView)
    },
    get: async (organizationId, id) => toView(await find(db, organizationId, id)),
    async create(caller, webhook) {
      checkUrl(webhook.url, allowsPrivate)
      const id = randomUUID()
      const { secret, ciphertext } = await makeSecret(deps, caller.organizationId, id)
      return await inTransaction(async (tx, at) => {
        await deps.lockOrganization(tx, caller.organizationId)
        await requireRoom(tx, caller.organizationId)
        return { webhook: await insert(tx, caller, { ...webhook, id, ciphertext }, at), secret }
      })
    },
    async change(caller, id, change) {
      if (change.url !== undefined) checkUrl(change.url, allowsPrivate)
      return await inTransaction((tx, at) => applyChange(tx, caller, id, change, at))
    },
    async rotate(caller, id) {
      const { secret, ciphertext } = await makeSecret(deps, caller.organizationId, id)
      return await inTransaction(async (tx, at) => ({
        webhook: await replaceSecret(tx, caller, { id, ciphertext }, at),
        secret,
      }))
    },
    remove: (caller, id) =>
      inTransaction(async (tx, at) => {
        const before = await find(tx, caller.organizationId, id, 'locked')
        await tx
          .deleteFrom('outgoing_webhooks')
          .where('organization_id', '=', caller.organizationId)
          .where('id', '=', id)
          .execute()
        await record(tx, caller, 'webhook.delete', id, { host: hostOf(before.url) }, at)
        return { webhook: toView(before), deletedAt: at.toISOString() }
      }),
  }
}

/** A new secret, plain and encrypted. @throws AppError `not_configured` */
async function makeSecret(
  { findCipher }: WebhookDependencies,
  organizationId: string,
  webhookId: string,
): Promise<{ secret: string; ciphertext: Buffer }> {
  const cipher = await findCipher()
  if (!cipher)
    throw new AppError(
      'not_configured',
      'Webhook secrets are stored encrypted: set ENCRYPTION_KEY and restart the service',
    )
  const secret = newSecret()
  return { secret, ciphertext: cipher.encrypt(secret, contextOf(organizationId, webhookId)) }
}

async function insert(
  tx: Tx,
  caller: Caller,
  webhook: NewWebhook & { id: string; ciphertext: Buffer },
  at: Date,
): Promise<Webhook> {
  const { id, url, description = null, eventTypes = null, ciphertext } = webhook
  const row = await tx
    .insertInto('outgoing_webhooks')
    .values({
      organization_id: caller.organizationId,
      id,
      url,
      description,
      event_types: eventTypes,
      status: 'active',
      secret_ciphertext: ciphertext,
      created_at: at,
      updated_at: at,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await record(tx, caller, 'webhook.create', id, { host: hostOf(url), eventTypes }, at)
  return toView(row)
}

async function replaceSecret(
  tx: Tx,
  caller: Caller,
  { id, ciphertext }: { id: string; ciphertext: Buffer },
  at: Date,
): Promise<Webhook> {
  const before = await find(tx, caller.organizationId, id, 'locked')
  const row = await update(tx, before, {
    secret_ciphertext: ciphertext,
    previous_secret_ciphertext: before.secret_ciphertext,
    previous_secret_expires_at: new Date(at.getTime() + PREVIOUS_SECRET_MS),
    updated_at: at,
  })
  await record(tx, caller, 'webhook.rotate', id, {}, at)
  return toView(row)
}

/** Concurrent creations are serialized. @throws AppError `webhook_limit_reached` */
async function requireRoom(tx: Tx, organizationId: string): Promise<void> {
  const { used } = await tx
    .selectFrom('outgoing_webhooks')
    .select(sql<number>`count(*)::int`.as('used'))
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow()
  if (used < WEBHOOKS_MAX) return
  throw new AppError(
    'webhook_limit_reached',
    `A workspace can have ${WEBHOOKS_MAX} webhooks and has ${used}; delete one first`,
    { details: { used, limit: WEBHOOKS_MAX } },
  )
}

async function applyChange(
  tx: Tx,
  caller: Caller,
  id: string,
  { url, description, eventTypes, status }: WebhookChange,
  at: Date,
): Promise<Webhook> {
  const before = await find(tx, caller.organizationId, id, 'locked')
  const given = {
    ...(url === undefined || url === before.url ? {} : { url, failing_since: null }),
    ...(description === undefined ? {} : { description }),
    ...(eventTypes === undefined ? {} : { event_types: eventTypes }),
  }
  // A webhook that was disabled automatically keeps its reason.
  const moves = status !== undefined && status !== before.status
  const stateColumns =
    status === 'active'
      ? { status, disabled_reason: null, failing_since: null }
      : { status: 'disabled' as const, disabled_reason: 'person' as const }
  const row = await update(tx, before, { ...given, ...(moves ? stateColumns : {}), updated_at: at })
  const said = { host: url && hostOf(url), description, eventTypes, status }
  await record(tx, caller, 'webhook.update', id, said, at)
  return toView(row)
}

type WebhookRow = Row<'outgoing_webhooks'>

function select(db: Db, organizationId: string) {
  return db.selectFrom('outgoing_webhooks').selectAll().where('organization_id', '=', organizationId)
}

/** @throws AppError `not_found`, also for one of another workspace */
async function find(db: Db, organizationId: string, id: string, lock?: 'locked'): Promise<WebhookRow> {
  const one = select(db, organizationId).where('id', '=', id)
  const row = await (lock ? one.forUpdate() : one).executeTakeFirst()
  if (!row) throw new AppError('not_found', 'There is no such webhook')
  return row
}

async function update(tx: Tx, webhook: WebhookRow, values: Partial<WebhookRow>): Promise<WebhookRow> {
  return await tx
    .updateTable('outgoing_webhooks')
    .set(values)
    .where('organization_id', '=', webhook.organization_id)
    .where('id', '=', webhook.id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Records the user's change in the audit trail. Never the full URL, which may hold a secret of the receiver's. */
export async function record(
  tx: Tx,
  caller: Caller,
  action: AuditAction,
  webhookId: string,
  metadata: Record<string, unknown>,
  at: Date,
): Promise<void> {
  await recordEvent(tx, caller, { action, target: ['webhook', webhookId], metadata, providers: [], at })
}

function hostOf(url: string): string {
  return new URL(url).host
}

function toView(row: WebhookRow): Webhook {
  return {
    id: row.id,
    url: row.url,
    description: row.description,
    eventTypes: row.event_types,
    status: row.status,
    disabledReason: row.disabled_reason,
    notice: row.disabled_reason === null ? null : NOTICES[row.disabled_reason],
    failingSince: row.failing_since?.toISOString() ?? null,
    previousSecretExpiresAt: row.previous_secret_expires_at?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}
