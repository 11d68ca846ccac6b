import { PLANS as ALL_PLANS, SOLD_TIERS, type SoldTier } from '../../../../src/billing/plans/plans.ts'
import type { Schemas } from '../../api/client.ts'
import { formatDollars } from './format-money.ts'
import { isSubscribed, planName } from './plan-words.ts'

export type Interval = Schemas['Checkout']['interval']
type Billing = Schemas['Billing']

export interface Plan {
  tier: SoldTier
  name: string
  /** In whole US dollars. */
  price: Record<Interval, number>
  creditsPerMonth: number
  /** Null: unlimited. */
  agents: number | null
  connectors: number | null
  overCap: string
}

/** The plans for sale, smallest first. */
export const PLANS: readonly Plan[] = SOLD_TIERS.map((tier) => {
  const { name, agents, connectors, creditsPerMonth, extraAnswerMicroUsd, ...plan } = ALL_PLANS[tier]
  return {
    tier,
    name,
    agents,
    connectors,
    creditsPerMonth,
    price: { monthly: plan.monthlyPriceUsd, annual: plan.annualPriceUsd },
    overCap:
      extraAnswerMicroUsd === null
        ? 'Then no answers until the next period'
        : `Then ${formatDollars(extraAnswerMicroUsd / 1e6)} per answer`,
  }
})

/** A warning about the agents and connectors beyond the limits of a plan, which would stop; null if all fit. */
export function whatWouldStop(
  { agents, connectors }: Pick<Plan, 'agents' | 'connectors'>,
  { agentsUsed, connectorsUsed }: Pick<Billing, 'agentsUsed' | 'connectorsUsed'>,
): string | null {
  const parts = [
    stopping(agents === null ? 0 : agentsUsed - agents, 'agent'),
    stopping(connectors === null ? 0 : connectorsUsed - connectors, 'connector'),
  ].filter((part) => part !== null)
  return parts.length === 0 ? null : `The newest ${parts.join(' and the newest ')} would stop.`
}

function stopping(beyond: number, one: string): string | null {
  if (beyond <= 0) return null
  return beyond === 1 ? one : `${beyond} ${one}s`
}

/** The scheduled plan change; null without one. `name` is null if the plan ends. `at` is ISO 8601. */
export function whatIsPlanned({ plannedChange, interval }: Pick<Billing, 'plannedChange' | 'interval'>): {
  name: string | null
  at: string
  plan: Plan | null
} | null {
  if (plannedChange === null) return null
  const { at, tier, interval: next } = plannedChange
  if (tier === null) return { name: null, at, plan: null }
  const plan = PLANS.find((one) => one.tier === tier) ?? null
  const paid = next === null || next === interval ? '' : `, ${next}`
  return { name: planName(tier) + paid, at, plan }
}

const DAY_MS = 24 * 60 * 60_000

/** The trial and card terms to show before checkout. Empty for subscribers, and if no card is required. */
export function checkoutTerms({
  status,
  trialDays,
  cardRequired,
}: Pick<Billing, 'status' | 'trialDays' | 'cardRequired'>): string {
  if (isSubscribed({ status }) || !cardRequired) return ''
  return trialDays > 0
    ? `Starts with a ${trialDays}-day free trial. A card is required and charged when the trial ends, unless you cancel before.`
    : 'This workspace has used its free trial. A card is required and charged at checkout.'
}

/** The remaining trial time in words; null without a trial. `now` in epoch milliseconds. */
export function trialLeft(trialEndsAt: string | null, now: number): string | null {
  if (trialEndsAt === null) return null
  const left = Date.parse(trialEndsAt) - now
  if (left <= 0) return 'The trial ends now'
  const days = Math.floor(left / DAY_MS)
  if (days === 0) return 'The trial ends within a day'
  return `${days} ${days === 1 ? 'day' : 'days'} left of the trial`
}

/** Whether the workspace never had a plan. */
export function isWithoutPlan({ status, tier }: Pick<Billing, 'status' | 'tier'>): boolean {
  return status === 'incomplete' && tier === null
}

/** Whether the payment processor may have invoices. */
export function wasBought(plan: Pick<Billing, 'status'>): boolean {
  return isSubscribed(plan) || plan.status === 'canceled'
}
