import { PLANS, RETRIEVING_STATUSES, TIERS } from './plans.ts'

/** What `subscriptionState` selects, as both drivers return it. */
export interface SubscriptionState {
  /** Whether its status lets it retrieve. */
  retrieves: boolean
  /** Credits taken in the period that `now` is in, requests in flight included. */
  used: number
  /** Credits of a period; null: unlimited. */
  included: number | null
  /** Whether calls over `included` are refused. */
  capped: boolean
  started_at: Date
  ends_at: Date
}

const quoted = (names: readonly string[]): string => names.map((name) => `'${name}'`).join(', ')

const CREDITS_OF_TIER = TIERS.map(
  (tier) => `when '${tier}' then ${PLANS[tier].creditsPerMonth ?? 'null'}`,
).join(' ')

const BLOCKING_TIERS = quoted(TIERS.filter((tier) => PLANS[tier].overCap === 'block'))

/** Months from the anchor's calendar month to the current one; the last of them may not be whole yet. */
const CALENDAR_MONTHS = `
  select 12 * (extract(year from here) - extract(year from anchor))::int
       + (extract(month from here) - extract(month from anchor))::int as months`

const monthsIn = (months: string): string =>
  `((anchor + make_interval(months => ${months})) at time zone 'utc')`

/**
 * SQL subquery, in brackets, over the row `s` of subscriptions: the columns of `SubscriptionState` as they are at `now`
 * (an SQL expression of a timestamptz). Once a period is over, the one that `now` is in has begun, with no credit used.
 * Months are counted in UTC from the anchor, so that a period that begins on a 31st does not drift to the 28th.
 * A workspace without a tier has no credits unless it was given some.
 */
export function subscriptionState(now: string): string {
  return `(
    select
      s.status in (${quoted(RETRIEVING_STATUSES)}) as retrieves,
      case when rolled then 0 else s.credits_used end as used,
      included,
      included is not null and (s.tier is null or s.tier in (${BLOCKING_TIERS})) as capped,
      case when rolled then ${monthsIn('whole')} else s.period_started_at end as started_at,
      case when rolled then ${monthsIn('whole + 1')} else s.period_ends_at end as ends_at
    from (
      select ${now} >= s.period_ends_at as rolled,
        s.period_anchor at time zone 'utc' as anchor,
        ${now} at time zone 'utc' as here,
        case when s.status = 'internal' then null
             else coalesce(s.credits_included, case s.tier ${CREDITS_OF_TIER} else 0 end) end as included
    ) given
    cross join lateral (${CALENDAR_MONTHS}) calendar
    cross join lateral (
      select months - (anchor + make_interval(months => months) > here)::int as whole
    ) counted
  )`
}
