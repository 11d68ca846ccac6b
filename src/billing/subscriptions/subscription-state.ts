import type { Row } from '../../database/schema.ts'
import { periodAt } from './period.ts'

/** The stored fields that determine the remaining credits. */
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
  /** Credits used in the period, including requests in flight. */
  used: number
  /** Answers in the period beyond its credits. */
  overageAnswers: number
  /** null: unlimited. */
  included: number | null
  start: Date
  end: Date
  /** Whether the row's period is over: it must be rewritten before credits are taken. */
  over: boolean
}

/** A subscription at `now`: after its period ends, the next one begins with no credits used. */
export function stateAt(row: SubscriptionRow, now: Date): SubscriptionState {
  const included = row.credit_limit
  // An instance with a slow clock must not turn a period back.
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
