import type { ColumnType, Generated } from 'kysely'
import type { ChargedAction } from '../kernel/actions.ts'
import type { Computed, Leased, Nullable, TenantRow } from './schema-columns.ts'
import type { SubscriptionStatus, Tier, BillingInterval, PaymentRemark } from './schema-words.ts'

/** What a workspace pays for, and what it has used. */
export interface BillingSchema {
  subscriptions: {
    organization_id: string
    status: SubscriptionStatus
    tier: Nullable<Tier>
    credits_included: Nullable<number>
    agents_included: Nullable<number>
    connectors_included: Nullable<number>
    period_anchor: Date
    period_started_at: Date
    period_ends_at: Date
    credits_used: Generated<number>
    is_contract: Generated<boolean>
    over_cap: Nullable<'block' | 'metered'>
    extra_answer_micro_usd: Nullable<number>
    billing_interval: Nullable<BillingInterval>
    trial_ends_at: Nullable<Date>
    cancel_at_period_end: Generated<boolean>
    payment_method_missing: Generated<boolean>
    overage_answers: Generated<number>
    planned_at: Nullable<Date>
    planned_tier: Nullable<Tier>
    planned_interval: Nullable<BillingInterval>
    retrieves: Computed<boolean>
    credit_limit: Computed<number | null>
    blocks_over_cap: Computed<boolean>
    updated_at: Date
  }
  payment_accounts: Leased & {
    organization_id: string
    customer_id: Nullable<string>
    processor_subscription_id: Nullable<string>
    notices: Generated<number>
    notices_read: Generated<number>
    read_at: Nullable<Date>
    attempts: Generated<number>
    not_before: Nullable<Date>
    remarks: Generated<PaymentRemark[]>
    last_error: Nullable<string>
    created_at: Date
  }
  payment_events: { organization_id: string; event_id: string; type: string; received_at: Date }
  overage_reports: Leased &
    TenantRow & {
      period_started_at: Date
      window_started_at: Date
      answers: number
      sealed_at: Nullable<Date>
      customer_id: Nullable<string>
      attempts: Generated<number>
      unknown_since: Nullable<Date>
      next_attempt_at: Nullable<Date>
      last_error: Nullable<string>
      sent_at: Nullable<Date>
    }
  daily_usage: {
    organization_id: string
    /** ISO 8601, as it is written; PostgreSQL's driver reads it as a date of JavaScript. */
    day: ColumnType<Date, string, string>
    period_started_at: Date
    subject_id: string
    is_user: boolean
    surface: ChargedAction
    is_mcp: boolean
    requests: number
    credits: number
  }
  credit_reservations: { organization_id: string; id: string; period_started_at: Date; expires_at: Date }
  rate_windows: {
    organization_id: string
    subject_id: string
    action: string
    admitted_at: Date[]
    admitted_count: number[]
    /** How many requests the last statement counted. */
    last_admitted: Generated<number>
  }
  credit_notices: { organization_id: string; period_started_at: Date; credit_limit: number; percent: number }
}
