import type { SubscriptionStatus, Tier } from '../database/schema.ts'
import { periodAt } from './period.ts'
import { PLANS, RETRIEVING_STATUSES, TIERS } from './plans.ts'

const quoted = (names: readonly string[]): string => names.map((name) => `'${name}'`).join(', ')

const CREDITS_OF_TIER = TIERS.map(
  (tier) => `when '${tier}' then ${PLANS[tier].creditsPerMonth ?? 'null'}`,
).join(' ')

/** SQL over a row of subscriptions: whether its status lets it retrieve. */
export const RETRIEVES = `status in (${quoted(RETRIEVING_STATUSES)})`

/** SQL over a row of subscriptions: credits of a period, null when unlimited. Who has no tier has none, unless they were given some. */
export const CREDITS_INCLUDED = `
  case when status = 'internal' then null
       else coalesce(credits_included, case tier ${CREDITS_OF_TIER} else 0 end) end`

/** SQL over a row of subscriptions: whether calls over its credits, where it has a number of them, are refused. */
export const BLOCKS_OVER_CAP = `(tier is null or tier in (${quoted(
  TIERS.filter((tier) => PLANS[tier].overCap === 'block'),
)}))`

/** SQL columns over a row of subscriptions that make up a `SubscriptionRow`. */
export const SUBSCRIPTION_COLUMNS = `
  status, tier, credits_used, period_anchor, period_started_at, period_ends_at,
  ${RETRIEVES} as retrieves, ${CREDITS_INCLUDED} as included, ${BLOCKS_OVER_CAP} as blocks`

export interface SubscriptionRow {
  status: SubscriptionStatus
  tier: Tier | null
  credits_used: number
  period_anchor: Date
  period_started_at: Date
  period_ends_at: Date
  retrieves: boolean
  included: number | null
  blocks: boolean
}

export interface SubscriptionState {
  /** Credits taken in the period, those of requests in flight included. */
  used: number
  /** null: unlimited. */
  included: number | null
  start: Date
  end: Date
  /** The period of the row is over: it has to be written anew before anything is taken from it. */
  over: boolean
}

/** A subscription as it is at `now`: once its period is over, the next has begun with no credit used. */
export function stateAt(row: SubscriptionRow, now: Date): SubscriptionState {
  const { included } = row
  // An instance whose clock is behind does not turn a period back.
  if (now < row.period_ends_at)
    return {
      used: row.credits_used,
      included,
      start: row.period_started_at,
      end: row.period_ends_at,
      over: false,
    }
  return { used: 0, included, ...periodAt(row.period_anchor, now), over: true }
}
