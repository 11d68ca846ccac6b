import type { Tier } from '../../database/schema-words.ts'

/** What a tier offers. null: no limit, or by contract. */
export interface Plan {
  name: string
  /** Whole US dollars. */
  monthlyPriceUsd: number | null
  annualPriceUsd: number | null
  agents: number | null
  connectors: number | null
  /** The database computes `credit_limit` from the same numbers; changing one takes a migration. */
  creditsPerMonth: number | null
  /** Beyond the period's credits, calls are refused (`block`) or served and charged one by one (`metered`). */
  overCap: 'block' | 'metered'
  /** Price of an answer over the cap, in millionths of a US dollar. */
  extraAnswerMicroUsd: number | null
}

/** The standard price of an answer over the cap, in millionths of a US dollar. */
export const EXTRA_ANSWER_MICRO_USD = 15_000

/** The tiers and their numbers, from "Credit budget" in the API document. */
export const PLANS = {
  builder: {
    name: 'Builder',
    monthlyPriceUsd: 99,
    annualPriceUsd: 950,
    agents: 2,
    connectors: 2,
    creditsPerMonth: 5_000,
    overCap: 'block',
    extraAnswerMicroUsd: null,
  },
  studio: {
    name: 'Studio',
    monthlyPriceUsd: 299,
    annualPriceUsd: 2_870,
    agents: 10,
    connectors: null,
    creditsPerMonth: 25_000,
    overCap: 'metered',
    extraAnswerMicroUsd: EXTRA_ANSWER_MICRO_USD,
  },
  scale: {
    name: 'Scale',
    monthlyPriceUsd: 799,
    annualPriceUsd: 7_670,
    agents: null,
    connectors: null,
    creditsPerMonth: 100_000,
    overCap: 'metered',
    extraAnswerMicroUsd: EXTRA_ANSWER_MICRO_USD,
  },
  // Unlimited until the operator sets the contract's number.
  enterprise: {
    name: 'Enterprise',
    monthlyPriceUsd: null,
    annualPriceUsd: null,
    agents: null,
    connectors: null,
    creditsPerMonth: null,
    overCap: 'block',
    extraAnswerMicroUsd: null,
  },
} as const satisfies Record<Tier, Plan>

export const SOLD_TIERS = ['builder', 'studio', 'scale'] as const satisfies Tier[]
export type SoldTier = (typeof SOLD_TIERS)[number]

export const TRIAL_DAYS = 7
