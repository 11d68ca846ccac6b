import type { Updateable } from 'kysely'
import { NO_LEASE } from '../../background/index.ts'
import type { Tx } from '../../database/database.ts'
import type { Row, Schema } from '../../database/schema.ts'
import type { CustomerReading, PlannedChange } from '../payment-processor.ts'
import { keepWithinPlan, lockPlan } from '../plans/plan-limits.ts'
import { periodAt } from '../subscriptions/period.ts'
import type { Subscription } from '../schemas.ts'
import { plannedIn } from '../subscriptions/planned-change.ts'
import { emitSubscriptionChange } from '../subscriptions/emit-subscription-change.ts'
import { lockAccount, type PaymentLease } from './accounts.ts'
import { type Current, currentOf, isLive } from './current.ts'
import { type Remarked, remarksOn } from './remarks.ts'

type Summary = Pick<
  Subscription,
  'status' | 'tier' | 'interval' | 'cancelAtPeriodEnd' | 'plannedChange' | 'paymentMethodMissing'
>

export interface Applied {
  before: Summary | null
  /** null: nothing. */
  after: Summary | null
  /** True if an event announced it, it is the first reading, or only the next period began. */
  isAnnounced: boolean
  /** New issues for the operator. */
  remarks: Remarked[]
}

/**
 * Stores a reading, under the lease of the reader, unless the operator has set a contract.
 * @param options `found`: remarks beyond those in the reading itself
 * @returns null when the lease was lost: its new holder has a later reading, so nothing is stored.
 */
export async function applyReading(
  tx: Tx,
  held: PaymentLease,
  reading: CustomerReading,
  options: { now: Date; found: readonly Remarked[] },
): Promise<Applied | null> {
  const { organizationId } = held
  const { now } = options
  await lockPlan(tx, organizationId)
  const account = await lockAccount(tx, held)
  if (!account) return null
  const stored = await tx
    .selectFrom('subscriptions')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .forUpdate()
    .executeTakeFirst()
  const current = currentOf(reading, account.processor_subscription_id)
  const changed = stored === undefined ? null : changeOf(stored, { account, reading, current, now })
  const remarks = remarksOn(reading, {
    isContract: stored?.is_contract ?? false,
    found: [...options.found, ...(changed?.gone ?? [])],
  })
  await storeAccount(tx, held, {
    processor_subscription_id: current?.id ?? account.processor_subscription_id,
    remarks: remarks.map(({ remark }) => remark),
    read_at: now,
  })
  const isOfPlan = stored !== undefined && changed !== null && differs(stored, changed.columns, PERIOD)
  const applied = {
    before: stored ? summaryOf(stored) : null,
    isAnnounced: held.notices > account.notices_read || account.read_at === null || !isOfPlan,
    remarks: remarks.filter(({ remark }) => !account.remarks.includes(remark)),
  }
  if (!stored || !changed || !differs(stored, changed.columns)) return { ...applied, after: null }
  const row = await tx
    .updateTable('subscriptions')
    .set({ ...changed.columns, updated_at: now })
    .where('organization_id', '=', organizationId)
    .returningAll()
    .executeTakeFirstOrThrow()
  await emitSubscriptionChange(tx, stored, row, now)
  await keepWithinPlan(tx, organizationId)
  return { ...applied, after: summaryOf(row) }
}

/** Records what was read, and releases the lease. */
async function storeAccount(
  tx: Tx,
  { organizationId, notices }: PaymentLease,
  read: Pick<Row<'payment_accounts'>, 'processor_subscription_id' | 'remarks' | 'read_at'>,
): Promise<void> {
  await tx
    .updateTable('payment_accounts')
    .set({
      ...read,
      notices_read: notices,
      last_error: null,
      ...NO_LEASE,
      attempts: 0,
      not_before: null,
    })
    .where('organization_id', '=', organizationId)
    .execute()
}

/** The stored subscription's changes; null: none, for example under a contract. */
function changeOf(
  stored: Row<'subscriptions'>,
  read: {
    account: Row<'payment_accounts'>
    reading: CustomerReading
    current: Current | undefined
    now: Date
  },
): { columns: Changed; gone: Remarked[] } | null {
  const { account, reading, current, now } = read
  if (stored.is_contract) return null
  const mirroredId = account.processor_subscription_id
  if (current) return { columns: ofSubscription(stored, current, mirroredId === current.id, now), gone: [] }
  if (mirroredId !== null && stored.status !== 'internal' && isLive({ status: stored.status }))
    return {
      columns: { status: 'canceled', trial_ends_at: null, cancel_at_period_end: false, ...NOT_PLANNED },
      gone: [{ remark: 'subscription_gone', fields: { subscriptions: [mirroredId] } }],
    }
  const columns = ofCheckout(stored, reading)
  return columns && { columns, gone: [] }
}

type Changed = Updateable<Schema['subscriptions']>

const NOT_PLANNED = { planned_at: null, planned_tier: null, planned_interval: null } as const

function ofSubscription(stored: Row<'subscriptions'>, current: Current, isSame: boolean, now: Date): Changed {
  return {
    status: current.status,
    tier: current.tier ?? stored.tier,
    billing_interval: current.interval,
    trial_ends_at: current.status === 'trialing' ? current.trialEndsAt : null,
    cancel_at_period_end: current.cancelAtPeriodEnd,
    payment_method_missing: current.paymentMethodMissing,
    ...plannedOf(current.planned),
    ...periodOf(stored, current, isSame, now),
  }
}

function plannedOf(planned: PlannedChange | null): Changed {
  if (planned === null) return NOT_PLANNED
  const { at, plan } = planned
  return { planned_at: at, planned_tier: plan?.tier ?? null, planned_interval: plan?.interval ?? null }
}

/** The credits' period. Used credits stay within one period, whatever else changes, and reset with the next. */
function periodOf(stored: Row<'subscriptions'>, current: Current, isSame: boolean, now: Date): Changed {
  const { start, end, anchor } = creditMonth(current, now)
  // A request began the next period by the clock, before the payment processor did.
  if (isSame && start < stored.period_started_at) return {}
  const period = { period_anchor: anchor, period_started_at: start, period_ends_at: end }
  if (start.getTime() === stored.period_started_at.getTime()) return period
  return { ...period, credits_used: 0, overage_answers: 0 }
}

/** Credits are monthly: a year's period is split into its months, counted from `anchor`. */
function creditMonth(
  { periodStart, periodEnd, isYear }: Current,
  now: Date,
): { start: Date; end: Date; anchor: Date } {
  if (!isYear) return { start: periodStart, end: periodEnd, anchor: periodEnd }
  const inside = new Date(Math.min(Math.max(now.getTime(), periodStart.getTime()), periodEnd.getTime() - 1))
  const { start, end } = periodAt(periodStart, inside)
  return { start, end: end < periodEnd ? end : periodEnd, anchor: periodStart }
}

/** Without a subscription there is at most a checkout, open or abandoned. */
function ofCheckout({ status }: Row<'subscriptions'>, reading: CustomerReading): Changed | null {
  if (status === 'incomplete' && reading.lastCheckout === 'expired') return { status: 'incomplete_expired' }
  if (status === 'incomplete_expired' && reading.lastCheckout === 'open') return { status: 'incomplete' }
  return null
}

/** The columns of the credits' period. */
const PERIOD: ReadonlySet<string> = new Set<keyof Changed>([
  'period_anchor',
  'period_started_at',
  'period_ends_at',
  'credits_used',
  'overage_answers',
])

/** Whether any column differs, ignoring the excluded ones. */
function differs(
  stored: Row<'subscriptions'>,
  changed: Changed,
  leftOut: ReadonlySet<string> = new Set(),
): boolean {
  const before: Record<string, unknown> = stored
  return Object.entries(changed).some(([column, value]) => {
    if (leftOut.has(column)) return false
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
    plannedChange: plannedIn(row),
    paymentMethodMissing: row.payment_method_missing,
  }
}
