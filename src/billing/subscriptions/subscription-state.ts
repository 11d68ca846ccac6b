import type { Row } from '../../database/schema.ts'
import { periodAt } from './period.ts'

/** What of a stored subscription tells how many credits are left. */
export type SubscriptionRow = Pick<
  Row<'subscriptions'>,
  | 'status'
  | 'tier'
  | 'credits_used'
  | 'overage_answers'
  | 'period_anchor'
  | 'period_started_at'
  | 'period_ends_at'
  | 'retrieves'
  | 'credit_limit'
  | 'blocks_over_cap'
>

export interface SubscriptionState {
  /** Credits taken in the period, those of requests in flight included. */
  used: number
  /** Answers of the period that were served over its credits. */
  overageAnswers: number
  /** null: unlimited. */
  included: number | null
  start: Date
  end: Date
  /** The period of the row is over: it has to be written anew before anything is taken from it. */
  over: boolean
}

/** A subscription as it is at `now`: once its period is over, the next has begun with no credit used. */
export function stateAt(row: SubscriptionRow, now: Date): SubscriptionState {
  const included = row.credit_limit
  // An instance whose clock is behind does not turn a period back.
  if (now < row.period_ends_at)
    return {
      used: row.credits_used,
      overageAnswers: row.overage_answers,
      included,
      start: row.period_started_at,
      end: row.period_ends_at,
      over: false,
    }
  return { used: 0, overageAnswers: 0, included, ...periodAt(row.period_anchor, now), over: true }
}
