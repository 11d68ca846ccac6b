import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { type Author, recordEvent } from '../audit/index.ts'
import { checkKeyLimit, keepWithinPlan } from '../billing/index.ts'
import type { Db, Tx } from '../database/database.ts'
import { transact } from '../database/retry-conflicts.ts'
import type { Row } from '../database/schema.ts'
import type { Action, ActorType } from '../kernel/actions.ts'
import type { Clock } from '../kernel/clock.ts'
import { AppError } from '../kernel/errors.ts'
import type { Caller } from '../kernel/caller.ts'
import { type ProviderScope, requireReach } from '../kernel/scope.ts'
import { lockOrganization } from '../organizations/index.ts'
import { emitEvent } from '../outgoing-webhooks/index.ts'
import { newApiKeySecret, type NewSecret } from './api-key-secret.ts'
import type { ApiKey } from './schemas.ts'

export interface NewApiKey {
  name: string
  actorType: ActorType
  allowedActions: readonly Action[]
  allowedProviders: ProviderScope
  /** Whether it reads only on behalf of people; false by default. */
  requiresUser?: boolean
}

/** The key that a caller requests. Missing fields are inherited from the caller. */
export interface WantedApiKey extends Omit<NewApiKey, 'allowedProviders' | 'requiresUser'> {
  allowedProviders?: ProviderScope | undefined
  requiresUser?: boolean | undefined
}

export interface ApiKeys {
  list(organizationId: string): Promise<ApiKey[]>
  /** @throws AppError `provider_not_allowed`, `user_required`, `key_limit_reached`, `plan_limit_reached` */
  mint(caller: Caller, key: WantedApiKey): Promise<{ apiKey: ApiKey; secret: string }>
  /** @throws AppError `cannot_revoke_self`, `provider_not_allowed`, `not_found` */
  revoke(caller: Caller, id: string): Promise<{ apiKey: ApiKey; revokedAt: string }>
}

/** The most active keys of an organization: few enough to list at once. */
export const LIVE_KEYS_MAX = 1_000

export function createApiKeys({ db, clock }: { db: Db; clock: Clock }): ApiKeys {
  return {
    async list(organizationId) {
      const rows = await db
        .selectFrom('api_keys')
        .selectAll()
        .where('organization_id', '=', organizationId)
        .where('revoked_at', 'is', null)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .execute()
      return rows.map(toView)
    },
    async mint(caller, { allowedProviders = caller.allowedProviders, ...wanted }) {
      const isForPeople = caller.kind === 'agent' && caller.requiresUser === true
      const { requiresUser = isForPeople } = wanted
      if (isForPeople && !requiresUser)
        throw new AppError(
          'user_required',
          'A key that requires a user can create only keys that also require one',
        )
      const key = { ...wanted, allowedProviders, requiresUser }
      requireReach(caller, allowedProviders, 'The new key')
      const secret = newApiKeySecret()
      const row = await transact(db, async (tx) => {
        await requireRoom(tx, caller.organizationId)
        await checkKeyLimit(tx, caller.organizationId, key.allowedActions)
        return await insertApiKey(tx, {
          organizationId: caller.organizationId,
          key,
          secret,
          at: clock.now(),
          actor: caller,
        })
      })
      return { apiKey: toView(row), secret: secret.secret }
    },
    async revoke(caller, id) {
      if (caller.kind === 'agent' && caller.apiKeyId === id) {
        throw new AppError('cannot_revoke_self', 'A key cannot revoke itself; use another key or the console')
      }
      const at = clock.now()
      const row = await transact(db, async (tx) => {
        const revoked = await revokeApiKey(tx, caller, id, at)
        await keepWithinPlan(tx, caller.organizationId)
        return revoked
      })
      return { apiKey: toView(row), revokedAt: at.toISOString() }
    },
  }
}

/** Creations of one organization run in turn, so that the limit holds. @throws AppError `key_limit_reached` */
async function requireRoom(tx: Tx, organizationId: string): Promise<void> {
  await lockOrganization(tx, organizationId)
  const { used } = await tx
    .selectFrom('api_keys')
    .select(sql<number>`count(*)::int`.as('used'))
    .where('organization_id', '=', organizationId)
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow()
  if (used < LIVE_KEYS_MAX) return
  throw new AppError(
    'key_limit_reached',
    `An organization can have ${LIVE_KEYS_MAX.toLocaleString('en')} active API keys and has ${used.toLocaleString('en')}; revoke one first`,
    { details: { used, limit: LIVE_KEYS_MAX } },
  )
}

async function revokeApiKey(tx: Tx, caller: Caller, id: string, at: Date): Promise<Row<'api_keys'>> {
  const { organizationId } = caller
  const live = await tx
    .selectFrom('api_keys')
    .select('allowed_providers')
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  if (live) requireReach(caller, live.allowed_providers, 'The key to revoke')
  const revoked = await tx
    .updateTable('api_keys')
    .set({ revoked_at: at })
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returningAll()
    .executeTakeFirst()
  if (!revoked) throw new AppError('not_found', 'There is no such API key')
  await recordEvent(tx, caller, {
    action: 'api_key.revoke',
    target: ['api_key', id],
    metadata: { name: revoked.name, prefix: revoked.prefix },
    providers: [],
    at,
  })
  await emitEvent(tx, organizationId, { type: 'api_key.revoked', at, data: eventData(revoked) })
  return revoked
}

function eventData(row: Row<'api_keys'>) {
  return {
    apiKeyId: row.id,
    name: row.name,
    prefix: row.prefix,
    actorType: row.actor_type,
    allowedActions: row.allowed_actions,
    allowedProviders: row.allowed_providers,
  }
}

export interface ApiKeyInsert {
  organizationId: string
  key: NewApiKey
  secret: NewSecret
  at: Date
  /** Null: the deployment itself created the key, so the trail has no actor. */
  actor: Author | null
  /** Created at startup, and replaced when the setting changes. */
  isBootstrap?: boolean
}

/** Stores a key by its hash, with its audit event. */
export async function insertApiKey(
  tx: Tx,
  { organizationId, key, secret, at, actor, isBootstrap = false }: ApiKeyInsert,
): Promise<Row<'api_keys'>> {
  const row = await tx
    .insertInto('api_keys')
    .values({
      organization_id: organizationId,
      id: randomUUID(),
      name: key.name,
      prefix: secret.prefix,
      secret_sha256: secret.sha256,
      actor_type: key.actorType,
      allowed_actions: [...key.allowedActions],
      allowed_providers: key.allowedProviders === null ? null : [...key.allowedProviders],
      is_bootstrap: isBootstrap,
      requires_user: key.requiresUser ?? false,
      created_at: at,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  if (actor) {
    await recordEvent(tx, actor, {
      action: 'api_key.create',
      target: ['api_key', row.id],
      metadata: {
        name: row.name,
        prefix: row.prefix,
        actorType: row.actor_type,
        allowedActions: row.allowed_actions,
        allowedProviders: row.allowed_providers,
        ...(row.requires_user ? { requiresUser: true } : {}),
      },
      providers: [],
      at,
    })
  }
  await emitEvent(tx, organizationId, { type: 'api_key.created', at, data: eventData(row) })
  return row
}

function toView(row: Row<'api_keys'>): ApiKey {
  return {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    actorType: row.actor_type,
    allowedActions: row.allowed_actions,
    allowedProviders: row.allowed_providers,
    requiresUser: row.requires_user,
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
  }
}
