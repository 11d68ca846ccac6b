import { sql } from 'kysely'
import { isAgentKey } from '../../database/agent-keys.ts'
import type { Db, Tx } from '../../database/database.ts'
import type { SubscriptionStatus, Tier } from '../../database/schema.ts'
import { type Action, isAgent } from '../../kernel/actions.ts'
import { AppError } from '../../kernel/errors.ts'
import type { BillingState } from '../schemas.ts'
import { PLANS } from './plans.ts'

type Resource = 'agents' | 'connectors'

/** The rows that count toward a limit, by their table. */
const COUNTED = {
  agents: { table: 'api_keys', isCounted: sql<boolean>`revoked_at is null and ${isAgentKey()}` },
  connectors: { table: 'sources', isCounted: sql<boolean>`removed_at is null and not push_only` },
} as const

/**
 * Refuses an agent beyond the tier's limit. A key with none of `search`, `context` and `ask` is not an agent and is
 * never refused. Call it in the transaction that creates the key: it locks the plan, so that no other key takes the
 * same place.
 * @throws AppError `plan_limit_reached` with `resource`, `tier`, `used`, `limit`.
 */
export async function checkKeyLimit(
  tx: Tx,
  organizationId: string,
  actions: readonly Action[],
): Promise<void> {
  if (isAgent(actions)) await checkLimit(tx, organizationId, 'agents')
}

/**
 * Refuses a connector beyond the plan's limit. Every source with an account counts, even a disabled one; push-only
 * sources do not. Call it in the transaction that creates the source: until that ends, no other source can take the
 * same place.
 * @throws AppError `plan_limit_reached` with `resource`, `tier`, `used`, `limit`.
 */
export async function checkConnectorLimit(tx: Tx, organizationId: string): Promise<void> {
  await checkLimit(tx, organizationId, 'connectors')
}

/** Stops what exceeds the plan, newest first, and resumes what fits. Call it in the changing transaction. */
export async function keepWithinPlan(tx: Tx, organizationId: string): Promise<void> {
  const plan = await lockPlan(tx, organizationId)
  for (const resource of ['agents', 'connectors'] as const) {
    const { table, isCounted } = COUNTED[resource]
    const limit = limitOf(plan, resource)
    const isBeyond =
      limit === null ? sql`false` : sql`row_number() over (order by created_at, id) > ${limit}::integer`
    await sql`
      update ${sql.table(table)} t set beyond_plan = r.beyond
      from (
        select id, ${isBeyond} as beyond from ${sql.table(table)}
        where organization_id = ${organizationId} and ${isCounted}
      ) r
      where t.organization_id = ${organizationId} and t.id = r.id and t.beyond_plan <> r.beyond`.execute(tx)
  }
}

/** The `plan_limit_reached` error for an agent or connector over the plan. */
export async function beyondPlanError(db: Db, organizationId: string, resource: Resource): Promise<AppError> {
  const plan = await readPlan(db, organizationId)
  const limit = limitOf(plan, resource)
  const used = await countUsed(db, organizationId, resource)
  const { many, one, free } = RESOURCE_NAMES[resource]
  return new AppError(
    'plan_limit_reached',
    `This ${one} is beyond the plan's ${limit ?? used} ${many}; ${free} or upgrade`,
    { details: { resource, tier: plan.tier, used, limit } },
  )
}

type Included = Pick<BillingState, 'agentsIncluded' | 'connectorsIncluded'>
export type Room = Included & Pick<BillingState, 'agentsUsed' | 'connectorsUsed'>

export function includedIn(plan: CurrentPlan): Included {
  return { agentsIncluded: limitOf(plan, 'agents'), connectorsIncluded: limitOf(plan, 'connectors') }
}

/** The numbers of agents and connectors, and the plan's limits. */
export async function readRoom(db: Db, organizationId: string): Promise<Room> {
  const plan = await readPlan(db, organizationId)
  return {
    ...includedIn(plan),
    agentsUsed: await countUsed(db, organizationId, 'agents'),
    connectorsUsed: await countUsed(db, organizationId, 'connectors'),
  }
}

const RESOURCE_NAMES = {
  agents: { one: 'key', many: 'keys with search, context or ask', free: 'revoke an older one' },
  connectors: { one: 'connector', many: 'connectors', free: 'delete an older one' },
} as const

interface CurrentPlan {
  status: SubscriptionStatus | null
  tier: Tier | null
  /** The operator's numbers; null: the tier's. */
  agentsIncluded: number | null
  connectorsIncluded: number | null
}

const NO_PLAN: CurrentPlan = { status: null, tier: null, agentsIncluded: null, connectorsIncluded: null }

/** null: no limit. A workspace without a plan has the limits of the smallest. */
function limitOf(plan: CurrentPlan, resource: Resource): number | null {
  if (plan.status === 'internal') return null
  const own = resource === 'agents' ? plan.agentsIncluded : plan.connectorsIncluded
  return own ?? PLANS[plan.tier ?? 'builder'][resource]
}

async function checkLimit(tx: Tx, organizationId: string, resource: Resource): Promise<void> {
  const plan = await lockPlan(tx, organizationId)
  const limit = limitOf(plan, resource)
  if (limit === null) return
  const used = await countUsed(tx, organizationId, resource)
  if (used < limit) return
  const { many } = RESOURCE_NAMES[resource]
  const free = resource === 'agents' ? 'revoke one' : 'delete one'
  throw new AppError(
    'plan_limit_reached',
    `The ${PLANS[plan.tier ?? 'builder'].name} plan covers ${limit} ${many} and ${used} are in use; ${free} or upgrade`,
    { details: { resource, tier: plan.tier, used, limit } },
  )
}

async function countUsed(db: Db, organizationId: string, resource: Resource): Promise<number> {
  const { table, isCounted } = COUNTED[resource]
  const { used } = await db
    .selectFrom(table)
    .select(sql<number>`count(*)::int`.as('used'))
    .where('organization_id', '=', organizationId)
    .where(isCounted)
    .executeTakeFirstOrThrow()
  return used
}

/**
 * Reads the plan and locks it until the transaction ends. Locks the organization's row, because every retrieval
 * updates the subscription's. The lock mode does not block rows that reference the organization.
 * @throws AppError `not_found`
 */
export async function lockPlan(tx: Tx, organizationId: string): Promise<CurrentPlan> {
  const plan = await selectPlan(tx, organizationId)
    .where('o.removed_at', 'is', null)
    .forNoKeyUpdate('o')
    .executeTakeFirst()
  if (!plan) throw new AppError('not_found', 'There is no such organization')
  return plan
}

async function readPlan(db: Db, organizationId: string): Promise<CurrentPlan> {
  return (await selectPlan(db, organizationId).executeTakeFirst()) ?? NO_PLAN
}

function selectPlan(db: Db, organizationId: string) {
  return db
    .selectFrom('organizations as o')
    .leftJoin('subscriptions as s', 's.organization_id', 'o.id')
    .select([
      's.status',
      's.tier',
      's.agents_included as agentsIncluded',
      's.connectors_included as connectorsIncluded',
    ])
    .where('o.id', '=', organizationId)
}
