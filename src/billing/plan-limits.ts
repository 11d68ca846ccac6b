import { sql } from 'kysely'
import type { Tx } from '../database/database.ts'
import type { SubscriptionStatus, Tier } from '../database/schema.ts'
import type { ActorType } from '../kernel/actions.ts'
import { AppError } from '../kernel/errors.ts'
import { PLANS } from './plans.ts'

/**
 * Refuses an agent key beyond the tier's number; keys of other actor types are not limited. Call it inside the
 * transaction that mints the key: until that ends, no other can take the same place.
 * @throws AppError `plan_limit_reached` with `resource`, `tier`, `used`, `limit`.
 */
export async function checkKeyLimit(tx: Tx, organizationId: string, actorType: ActorType): Promise<void> {
  if (actorType !== 'agent') return
  await checkLimit(tx, organizationId, 'agents', () =>
    tx
      .selectFrom('api_keys')
      .select(sql<number>`count(*)::int`.as('used'))
      .where('organization_id', '=', organizationId)
      .where('actor_type', '=', 'agent')
      .where('revoked_at', 'is', null)
      .executeTakeFirstOrThrow(),
  )
}

/**
 * Refuses a connector beyond the tier's number; every source counts, push-only and disabled ones too. Call it inside
 * the transaction that makes the source: until that ends, no other can take the same place.
 * @throws AppError `plan_limit_reached` with `resource`, `tier`, `used`, `limit`.
 */
export async function checkConnectorLimit(tx: Tx, organizationId: string): Promise<void> {
  await checkLimit(tx, organizationId, 'connectors', () =>
    tx
      .selectFrom('sources')
      .select(sql<number>`count(*)::int`.as('used'))
      .where('organization_id', '=', organizationId)
      .where('removed_at', 'is', null)
      .executeTakeFirstOrThrow(),
  )
}

const RESOURCE_NAMES = {
  agents: { many: 'agent keys', free: 'revoke one' },
  connectors: { many: 'connectors', free: 'delete one' },
} as const

async function checkLimit(
  tx: Tx,
  organizationId: string,
  resource: 'agents' | 'connectors',
  count: () => Promise<{ used: number }>,
): Promise<void> {
  const { status, tier } = await lockPlan(tx, organizationId)
  if (status === 'internal') return
  // A workspace that has not chosen a plan has the room of the smallest.
  const plan = PLANS[tier ?? 'builder']
  const limit: number | null = plan[resource]
  if (limit === null) return
  const { used } = await count()
  if (used < limit) return
  const { many, free } = RESOURCE_NAMES[resource]
  throw new AppError(
    'plan_limit_reached',
    `The plan ${plan.name} has room for ${limit} ${many} and ${used} are in use; ${free} or upgrade`,
    { details: { resource, tier, used, limit } },
  )
}

/**
 * Locks the organization's row rather than the subscription's, which every retrieval updates. The mode does not stand
 * in the way of rows that refer to the organization.
 */
async function lockPlan(
  tx: Tx,
  organizationId: string,
): Promise<{ status: SubscriptionStatus | null; tier: Tier | null }> {
  const plan = await tx
    .selectFrom('organizations as o')
    .leftJoin('subscriptions as s', 's.organization_id', 'o.id')
    .select(['s.status', 's.tier'])
    .where('o.id', '=', organizationId)
    .forNoKeyUpdate('o')
    .executeTakeFirst()
  if (!plan) throw new AppError('not_found', 'There is no such organization')
  return plan
}
