import { recordEvent } from '../../audit/index.ts'
import { updateHeld } from '../../background/index.ts'
import type { Db } from '../../database/database.ts'
import { transact } from '../../database/retry-conflicts.ts'
import type { Clock } from '../../kernel/clock.ts'
import { AppError } from '../../kernel/errors.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { CheckoutPage, CustomerReading, PaymentProcessor, SoldPlan } from '../payment-processor.ts'
import { PLANS, TRIAL_DAYS } from '../plans/plans.ts'
import type { PaymentLease } from './accounts.ts'
import { currentOf } from './current.ts'
import { withPaymentLease, keepPaymentLease } from './payment-lease.ts'

export interface HostedPagesDependencies {
  db: Db
  clock: Clock
  processor: PaymentProcessor
  /** The base URL of the console's pages, without a trailing slash. */
  publicUrl: () => string
  sleep: (ms: number) => Promise<void>
}

/** The payment processor's pages for users. */
export interface HostedPages {
  /** A plan's open checkout, or the portal. @throws AppError `plan_by_contract`, `upstream_error`, `overloaded` */
  checkout(caller: Caller, plan: SoldPlan): Promise<{ url: string }>
  /** @throws AppError `plan_by_contract`, `upstream_error`, `overloaded` */
  portal(caller: Caller): Promise<{ url: string }>
}

/** Opens hosted pages, one at a time per organization, which therefore has one customer and at most one checkout. */
export function createHostedPages(deps: HostedPagesDependencies): HostedPages {
  const { processor } = deps
  return {
    checkout: (caller, plan) =>
      withPaymentLease(deps, caller.organizationId, async (held) => {
        await refuseContract(deps.db, caller.organizationId)
        let customerId = await ensureCustomer(deps, held, null)
        const reading = await processor.readCustomer(customerId)
        if (reading.isDeleted) customerId = await ensureCustomer(deps, held, customerId)
        if (currentOf(reading, held.mirroredId)?.isLive) return await openPortal(deps, caller, customerId)
        const known = await reuseCheckout(processor, customerId, plan)
        await keepPaymentLease(deps.db, held)
        const page =
          known ??
          (await processor.openCheckout({
            ...plan,
            organizationId: caller.organizationId,
            customerId,
            isMetered: PLANS[plan.tier].overCap === 'metered',
            // Once per organization, whatever happened to its first subscription.
            trialDays: hadPlan(reading) || held.mirroredId !== null ? 0 : TRIAL_DAYS,
            ...consolePages(deps.publicUrl()),
          }))
        await audit(deps, caller, 'billing.checkout.create', ['checkout_session', page.id], plan)
        return { url: page.url }
      }),
    portal: (caller) =>
      withPaymentLease(deps, caller.organizationId, async (held) => {
        if (held.customerId === null) await refuseContract(deps.db, caller.organizationId)
        const customerId = await ensureCustomer(deps, held, null)
        const { isDeleted } = await processor.readCustomer(customerId)
        return await openPortal(
          deps,
          caller,
          isDeleted ? await ensureCustomer(deps, held, customerId) : customerId,
        )
      }),
  }
}

function hadPlan({ subscriptions }: CustomerReading): boolean {
  return subscriptions.some(({ tier }) => tier !== null)
}

function consolePages(publicUrl: string): { successUrl: string; cancelUrl: string } {
  return {
    successUrl: `${publicUrl}/console/billing?checkout=done`,
    cancelUrl: `${publicUrl}/console/billing?checkout=canceled`,
  }
}

async function refuseContract(db: Db, organizationId: string): Promise<void> {
  const subscription = await db
    .selectFrom('subscriptions')
    .select(['is_contract', 'status'])
    .where('organization_id', '=', organizationId)
    .executeTakeFirst()
  if (!subscription?.is_contract) return
  throw new AppError(
    'plan_by_contract',
    "This workspace's plan is set by the operator of this deployment and cannot be bought or changed here; ask the operator",
    { details: { status: subscription.status } },
  )
}

/** @param deleted the customer that the payment processor no longer has */
async function ensureCustomer(
  { db, processor }: HostedPagesDependencies,
  held: PaymentLease,
  deleted: string | null,
): Promise<string> {
  if (held.customerId !== null && deleted === null) return held.customerId
  const { id, name } = await db
    .selectFrom('organizations')
    .select(['id', 'name'])
    .where('id', '=', held.organizationId)
    .executeTakeFirstOrThrow()
  await keepPaymentLease(db, held)
  const customerId = await processor.createCustomer({ id, name, replaces: deleted })
  await updateHeld(db, held.lease, { customer_id: customerId })
  return customerId
}

/** The open checkout of this plan. Closes all others, so that no two can be paid. */
async function reuseCheckout(
  processor: PaymentProcessor,
  customerId: string,
  plan: SoldPlan,
): Promise<CheckoutPage | undefined> {
  let same: CheckoutPage | undefined
  for (const page of await processor.listOpenCheckouts(customerId)) {
    const isSame = page.tier === plan.tier && page.interval === plan.interval
    if (isSame && !same) same = { id: page.id, url: page.url }
    else await processor.expireCheckout(page.id)
  }
  return same
}

async function openPortal(
  deps: HostedPagesDependencies,
  caller: Caller,
  customerId: string,
): Promise<{ url: string }> {
  const returnUrl = `${deps.publicUrl()}/console/billing`
  const page = await deps.processor.openPortal({ customerId, returnUrl })
  await audit(deps, caller, 'billing.portal.create', ['portal_session', page.id], {})
  return { url: page.url }
}

async function audit(
  { db, clock }: HostedPagesDependencies,
  caller: Caller,
  action: 'billing.checkout.create' | 'billing.portal.create',
  target: [type: string, id: string],
  metadata: Record<string, unknown>,
): Promise<void> {
  await transact(db, (tx) =>
    recordEvent(tx, caller, { action, target, metadata, providers: [], at: clock.now() }),
  )
}
