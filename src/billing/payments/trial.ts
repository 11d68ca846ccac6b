import type { Db } from '../../database/database.ts'
import { TRIAL_DAYS } from '../plans/plans.ts'
import type { BillingState } from '../schemas.ts'

export type CheckoutTerms = Pick<BillingState, 'trialDays' | 'cardRequired'>

/** For deployments without a payment processor. */
export const NOTHING_SOLD: CheckoutTerms = { trialDays: 0, cardRequired: false }

/** A workspace has one trial: its first subscription at the payment processor uses it. */
export async function readCheckoutTerms(db: Db, organizationId: string): Promise<CheckoutTerms> {
  const row = await db
    .selectFrom('subscriptions as s')
    .leftJoin('payment_accounts as a', 'a.organization_id', 's.organization_id')
    .select(['s.is_contract', 'a.processor_subscription_id'])
    .where('s.organization_id', '=', organizationId)
    .executeTakeFirst()
  if (!row || row.is_contract) return NOTHING_SOLD
  return { trialDays: row.processor_subscription_id === null ? TRIAL_DAYS : 0, cardRequired: true }
}
