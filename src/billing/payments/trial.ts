import type { Db } from '../../database/database.ts'
import { TRIAL_DAYS } from '../plans/plans.ts'

/** What a workspace can know of its checkout before it begins one. */
export interface CheckoutTerms {
  /** Days of free trial that the next checkout begins with; 0: the workspace has had its trial, or nothing is sold to it. */
  trialDays: number
  /** Whether checkout asks for a card, in a trial too. */
  cardRequired: boolean
}

/** Where no payment processor sells anything. */
export const NOTHING_SOLD: CheckoutTerms = { trialDays: 0, cardRequired: false }

/** A workspace has one trial: the first subscription that it ever had at the payment processor takes it. */
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
