import type { SubscriptionStatus, Tier } from '../database/schema.ts'

/** What a tier offers. null: no limit, or by contract. */
export interface Plan {
  name: string
  monthlyPriceUsd: number | null
  annualPriceUsd: number | null
  agents: number | null
  connectors: number | null
  creditsPerMonth: number | null
  /** What happens when the period's credits are used up: calls are refused, or served and charged one by one. */
  overCap: 'block' | 'metered'
  /** Price of an answer over the cap. */
  extraAnswerUsd: number | null
}

/** The tiers and their numbers, as the API document's "Credit budget" has them. */
export const PLANS = {
  builder: {
    name: 'Builder',
    monthlyPriceUsd: 99,
    annualPriceUsd: 950,
    agents: 2,
    connectors: 2,
    creditsPerMonth: 5_000,
    overCap: 'block',
    extraAnswerUsd: null,
  },
  studio: {
    name: 'Studio',
    monthlyPriceUsd: 299,
    annualPriceUsd: 2_870,
    agents: 10,
    connectors: null,
    creditsPerMonth: 25_000,
    overCap: 'metered',
    extraAnswerUsd: 0.015,
  },
  scale: {
    name: 'Scale',
    monthlyPriceUsd: 799,
    annualPriceUsd: 7_670,
    agents: null,
    connectors: null,
    creditsPerMonth: 100_000,
    overCap: 'metered',
    extraAnswerUsd: 0.015,
  },
  // Unlimited until the operator sets the contract's number, which then is a hard cap.
  enterprise: {
    name: 'Enterprise',
    monthlyPriceUsd: null,
    annualPriceUsd: null,
    agents: null,
    connectors: null,
    creditsPerMonth: null,
    overCap: 'block',
    extraAnswerUsd: null,
  },
} as const satisfies Record<Tier, Plan>

export const TIERS = ['builder', 'studio', 'scale', 'enterprise'] as const satisfies Tier[]

export const SUBSCRIPTION_STATUSES = [
  'trialing',
  'active',
  'past_due',
  'unpaid',
  'canceled',
  'incomplete',
  'incomplete_expired',
  'paused',
  'internal',
] as const satisfies SubscriptionStatus[]

/** The statuses in which an organization may retrieve; in all others it is answered 402. */
export const RETRIEVING_STATUSES = [
  'trialing',
  'active',
  'past_due',
  'internal',
] as const satisfies SubscriptionStatus[]
