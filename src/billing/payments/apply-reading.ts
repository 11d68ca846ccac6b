import type { Tx } from '../../database/database.ts'
import type { BillingInterval, Row, SubscriptionStatus, Tier } from '../../database/schema.ts'
import type { CustomerReading, SubscriptionReading } from '../payment-processor.ts'
import { type KeepWithinPlan, lockPlan } from '../plans/plan-limits.ts'
import { periodAt } from '../subscriptions/period.ts'
import { tellOfChange } from '../subscriptions/tell-of-change.ts'
import { lockTurn, type Turn } from './accounts.ts'

interface Summary {
  status: SubscriptionStatus
  tier: Tier | null
  interval: BillingInterval | null
  cancelAtPeriodEnd: boolean
}

/** What a reading changed. */
export interface Applied {
  before: Summary | null
  /** null: nothing. */
  after: Summary | null
  /** What somebody should look at. */
  remarks: { message: string; fields: Record<string, unknown> }[]
}

/** Best first: of several subscriptions the one that lets the organization retrieve is theirs. */
const RANKS: Record<SubscriptionReading['status'], number> = {
  active: 0,
  trialing: 0,
  past_due: 1,
  unpaid: 2,
  paused: 2,
  incomplete: 3,
  canceled: 4,
  incomplete_expired: 4,
}
const LIVE_RANK_MAX = 2
const OVER_RANK = 4

/** The subscription that counts: the best, and of equals the newest. `isLive`: there is something to manage or to pay. */
export function currentOf(reading: CustomerReading): (SubscriptionReading & { isLive: boolean }) | undefined {
  const [best] = reading.subscriptions.toSorted((a, b) => RANKS[a.status] - RANKS[b.status])
  return best && { ...best, isLive: isLive(best) }
}

function isLive({ status }: SubscriptionReading): boolean {
  return RANKS[status] <= LIVE_RANK_MAX
}

/** Whether a subscription is over for good: nothing is charged for it any more, whatever is paid or done. */
export function isOver({ status }: SubscriptionReading): boolean {
  return RANKS[status] === OVER_RANK
}

/**
 * Stores what the payment processor says, in the turn that read it, unless the operator has set a contract.
 * @returns null when the turn was lost meanwhile: then whoever took it has read later, and nothing is stored.
 */
export async function applyReading(
  tx: Tx,
  turn: Turn,
  reading: CustomerReading,
  { now, keepWithinPlan }: { now: Date; keepWithinPlan: KeepWithinPlan },
): Promise<Applied | null> {
  const { organizationId } = turn
  await lockPlan(tx, organizationId)
  const account = await lockTurn(tx, turn)
  if (!account) return null
  const stored = await tx
    .selectFrom('subscriptions')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .forUpdate()
    .executeTakeFirst()
  const current = currentOf(reading)
  await tx
    .updateTable('payment_accounts')
    .set({
      notices_read: turn.notices,
      read_at: now,
      processor_subscription_id: current?.id ?? account.processor_subscription_id,
      lease_id: null,
      lease_expires_at: null,
      attempts: 0,
      not_before: null,
    })
    .where('organization_id', '=', organizationId)
    .execute()
  if (!stored) return { before: null, after: null, remarks: [] }
  const remarks = remarksOn(reading, stored)
  const before = summaryOf(stored)
  const changed = stored.is_contract
    ? null
    : current
      ? ofSubscription(stored, current, account.processor_subscription_id === current.id, now)
      : ofCheckout(stored, reading)
  if (!changed || !differs(stored, changed)) return { before, after: null, remarks }
  const row = await tx
    .updateTable('subscriptions')
    .set({ ...changed, updated_at: now })
    .where('organization_id', '=', organizationId)
    .returningAll()
    .executeTakeFirstOrThrow()
  await tellOfChange(tx, stored, row, now)
  await keepWithinPlan(tx, organizationId)
  return { before, after: summaryOf(row), remarks }
}

type Changed = Partial<
  Pick<
    Row<'subscriptions'>,
    | 'status'
    | 'tier'
    | 'billing_interval'
    | 'trial_ends_at'
    | 'cancel_at_period_end'
    | 'payment_method_missing'
    | 'period_anchor'
    | 'period_started_at'
    | 'period_ends_at'
    | 'credits_used'
    | 'overage_answers'
  >
>

function ofSubscription(
  stored: Row<'subscriptions'>,
  current: SubscriptionReading,
  isSame: boolean,
  now: Date,
): Changed {
  return {
    status: current.status,
    tier: current.tier,
    billing_interval: current.interval,
    trial_ends_at: current.status === 'trialing' ? current.trialEndsAt : null,
    cancel_at_period_end: current.cancelAtPeriodEnd,
    payment_method_missing: current.paymentMethodMissing,
    ...periodOf(stored, current, isSame, now),
  }
}

/** The credits' period. Credits used stay within one period, whatever else changes, and start anew with the next. */
function periodOf(
  stored: Row<'subscriptions'>,
  current: SubscriptionReading,
  isSame: boolean,
  now: Date,
): Changed {
  const { start, end, anchor } = creditMonth(current, now)
  // A request has begun the next period by the clock, and the payment processor has not come to it yet.
  if (isSame && start < stored.period_started_at) return {}
  const period = { period_anchor: anchor, period_started_at: start, period_ends_at: end }
  if (start.getTime() === stored.period_started_at.getTime()) return period
  return { ...period, credits_used: 0, overage_answers: 0 }
}

/** Credits are by the month: those of a year's period are the months in it. `anchor`: what comes after is counted from there. */
function creditMonth(
  { periodStart, periodEnd, isYear }: SubscriptionReading,
  now: Date,
): { start: Date; end: Date; anchor: Date } {
  if (!isYear) return { start: periodStart, end: periodEnd, anchor: periodEnd }
  const inside = new Date(Math.min(Math.max(now.getTime(), periodStart.getTime()), periodEnd.getTime() - 1))
  const { start, end } = periodAt(periodStart, inside)
  return { start, end: end < periodEnd ? end : periodEnd, anchor: periodStart }
}

/** Without any subscription there is at most a checkout, which somebody is at or has given up. */
function ofCheckout({ status }: Row<'subscriptions'>, reading: CustomerReading): Changed | null {
  if (status === 'incomplete' && reading.lastCheckout === 'expired') return { status: 'incomplete_expired' }
  if (status === 'incomplete_expired' && reading.lastCheckout === 'open') return { status: 'incomplete' }
  return null
}

function differs(stored: Row<'subscriptions'>, changed: Changed): boolean {
  const before: Record<string, unknown> = stored
  return Object.entries(changed).some(([column, value]) => {
    const old = before[column]
    return value instanceof Date && old instanceof Date ? value.getTime() !== old.getTime() : value !== old
  })
}

function summaryOf(row: Row<'subscriptions'>): Summary {
  return {
    status: row.status,
    tier: row.tier,
    interval: row.billing_interval,
    cancelAtPeriodEnd: row.cancel_at_period_end,
  }
}

function remarksOn(reading: CustomerReading, stored: Row<'subscriptions'>): Applied['remarks'] {
  const remarks: Applied['remarks'] = reading.unknown.map(({ id, prices }) => ({
    message:
      'a subscription at the payment processor has no price that this service knows, and is passed over',
    fields: { id, prices },
  }))
  const live = reading.subscriptions.filter(isLive).map(({ id }) => id)
  if (live.length > 1)
    remarks.push({
      message: 'an organization has several live subscriptions at the payment processor, and pays for each',
      fields: { subscriptions: live },
    })
  if (live.length > 0 && stored.is_contract)
    remarks.push({
      message:
        'an organization with a contract also has a subscription at the payment processor, and pays for it',
      fields: { subscriptions: live },
    })
  return remarks
}
