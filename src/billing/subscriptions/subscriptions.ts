import type { Db, Tx } from '../../database/database.ts'
import { transact } from '../../database/retry-conflicts.ts'
import type { Row, SubscriptionStatus, Tier } from '../../database/schema.ts'
import type { Clock } from '../../kernel/clock.ts'
import { formatUsd } from '../plans/money.ts'
import { includedIn, keepWithinPlan, lockPlan } from '../plans/plan-limits.ts'
import { EXTRA_ANSWER_MICRO_USD, PLANS } from '../plans/plans.ts'
import { periodAt } from './period.ts'
import { plannedIn } from './planned-change.ts'
import type { Subscription } from '../schemas.ts'
import { stateAt } from './subscription-state.ts'
import { emitSubscriptionChange } from './emit-subscription-change.ts'

export interface NewSubscription {
  status: SubscriptionStatus
  tier: Tier | null
  /** Credits per period; null: the tier's number. */
  creditsIncluded: number | null
  /** Limits on agents and connectors; null or absent: the tier's. */
  agentsIncluded?: number | null
  connectorsIncluded?: number | null
  /** Behavior over the cap; null or absent: the tier's. */
  overCap?: 'block' | 'metered' | null
  /** Price of an answer over the cap, in millionths of a US dollar; null or absent: the tier's. */
  extraAnswerMicroUsd?: number | null
}

export interface Subscriptions {
  /** The current subscription; undefined when the workspace has none. */
  read(organizationId: string): Promise<Subscription | undefined>
  /** The subscriptions of several workspaces by id. */
  readMany(organizationIds: readonly string[]): Promise<Map<string, Subscription>>
  /** Sets status, tier and terms; the running period and its usage stay. @throws AppError `not_found` */
  put(organizationId: string, subscription: NewSubscription): Promise<Subscription>
}

export function createSubscriptions({ db, clock }: { db: Db; clock: Clock }): Subscriptions {
  const readMany = async (on: Db, ids: readonly string[]): Promise<Map<string, Subscription>> => {
    if (ids.length === 0) return new Map()
    const rows = await on
      .selectFrom('subscriptions')
      .selectAll()
      .where('organization_id', 'in', [...ids])
      .execute()
    return new Map(rows.map((row) => [row.organization_id, toView(row, clock.now())]))
  }
  return {
    read: async (organizationId) => (await readMany(db, [organizationId])).get(organizationId),
    readMany: (organizationIds) => readMany(db, organizationIds),
    put: (organizationId, subscription) =>
      transact(db, async (tx) => {
        await putSubscription(tx, organizationId, subscription, clock.now())
        await keepWithinPlan(tx, organizationId)
        const view = (await readMany(tx, [organizationId])).get(organizationId)
        if (!view) throw new Error('the subscription that was just written is not there')
        return view
      }),
  }
}

/** Custom terms, or a status the payment processor does not have, come from the operator and stand until changed. */
function isContract({ status, tier, ...terms }: NewSubscription): boolean {
  const hasOwnTerms = Object.values(terms).some((term) => (term ?? null) !== null)
  return status === 'internal' || tier === 'enterprise' || hasOwnTerms
}

/** Writes a subscription. Unless it is a contract, a new reading replaces it. @throws AppError `not_found` */
export async function putSubscription(
  tx: Tx,
  organizationId: string,
  subscription: NewSubscription,
  at: Date,
): Promise<void> {
  await lockPlan(tx, organizationId)
  const before = await tx
    .selectFrom('subscriptions')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .executeTakeFirst()
  const contract = isContract(subscription)
  const settings = {
    status: subscription.status,
    tier: subscription.tier,
    credits_included: subscription.creditsIncluded,
    agents_included: subscription.agentsIncluded ?? null,
    connectors_included: subscription.connectorsIncluded ?? null,
    over_cap: subscription.overCap ?? null,
    extra_answer_micro_usd: subscription.extraAnswerMicroUsd ?? null,
    is_contract: contract,
    updated_at: at,
  }
  const notSold = {
    billing_interval: null,
    trial_ends_at: null,
    cancel_at_period_end: false,
    payment_method_missing: false,
    planned_at: null,
    planned_tier: null,
    planned_interval: null,
  }
  const after = await tx
    .insertInto('subscriptions')
    .values({
      ...settings,
      organization_id: organizationId,
      period_anchor: at,
      period_started_at: at,
      period_ends_at: periodAt(at, at).end,
    })
    .onConflict((conflict) =>
      conflict.column('organization_id').doUpdateSet(contract ? { ...settings, ...notSold } : settings),
    )
    .returningAll()
    .executeTakeFirstOrThrow()
  if (before) await emitSubscriptionChange(tx, before, after, at)
  await tx
    .updateTable('payment_accounts')
    .set((eb) => ({ notices: eb('notices', '+', 1), not_before: null }))
    .where('organization_id', '=', organizationId)
    .execute()
}

function toView(row: Row<'subscriptions'>, now: Date): Subscription {
  const { used, overageAnswers, included, start, end } = stateAt(row, now)
  const price = row.extra_answer_micro_usd ?? (row.tier === null ? null : PLANS[row.tier].extraAnswerMicroUsd)
  // Answers of a plan changed within the period stay charged.
  const charged = isFree(row, start) ? 0 : (price ?? EXTRA_ANSWER_MICRO_USD)
  return {
    status: row.status,
    tier: row.tier,
    interval: row.billing_interval,
    creditsUsed: used,
    creditsIncluded: included,
    creditsRemaining: included === null ? null : Math.max(0, included - used),
    ...includedIn({
      status: row.status,
      tier: row.tier,
      agentsIncluded: row.agents_included,
      connectorsIncluded: row.connectors_included,
    }),
    periodStart: start.toISOString(),
    periodEnd: end.toISOString(),
    trialEndsAt: row.trial_ends_at?.toISOString() ?? null,
    cancelAtPeriodEnd: row.cancel_at_period_end,
    plannedChange: plannedIn(row),
    paymentMethodMissing: row.payment_method_missing,
    overageAnswers,
    overageCostUsd: formatUsd(BigInt(overageAnswers) * BigInt(charged)),
    overCap: row.blocks_over_cap ? 'block' : 'metered',
    extraAnswerUsd: price === null ? null : formatUsd(BigInt(price)),
    isContract: row.is_contract,
  }
}

/** A trial is free, also beyond its credits. Answers after its end are charged even before the next reading. */
function isFree({ status, trial_ends_at: trialEndsAt }: Row<'subscriptions'>, periodStart: Date): boolean {
  return status === 'trialing' && (trialEndsAt === null || periodStart < trialEndsAt)
}
