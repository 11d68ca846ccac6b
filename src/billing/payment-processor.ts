import type { BillingInterval, PaymentRemark, SubscriptionStatus } from '../database/schema.ts'
import { AppError } from '../kernel/errors.ts'
import { INTERVALS } from '../database/schema-words.ts'
import { SOLD_TIERS, type SoldTier } from './plans/plans.ts'
import type { Invoice } from './schemas.ts'

/** A plan that can be bought: a tier and a billing interval. */
export type SoldPlan = {
  tier: SoldTier
  interval: BillingInterval
}

/** The next change of a subscription and its time; `plan` null: it ends. */
export interface PlannedChange {
  at: Date
  plan: SoldPlan | null
}

/** A subscription, as read from the payment processor. */
export interface SubscriptionReading {
  id: string
  /** null: its price is unknown. */
  tier: SoldTier | null
  interval: BillingInterval
  status: Exclude<SubscriptionStatus, 'internal'>
  /** Of the item charged most often: the month of an annual plan whose extra answers are charged monthly. */
  periodStart: Date
  periodEnd: Date
  /** Whether `periodStart` to `periodEnd` is a whole year. */
  isYear: boolean
  trialEndsAt: Date | null
  cancelAtPeriodEnd: boolean
  /** null: no change. */
  planned: PlannedChange | null
  paymentMethodMissing: boolean
  /** Whether it charges extra answers. */
  hasMeter: boolean
  /** Its deviations from what this service sells. */
  remarks: PaymentRemark[]
  createdAt: Date
}

export interface CustomerReading {
  /** Newest first. */
  subscriptions: SubscriptionReading[]
  /** The newest checkout's status when there is no subscription with a known price; null: never begun. */
  lastCheckout: 'open' | 'complete' | 'expired' | null
  isDeleted: boolean
}

export interface CheckoutPage {
  id: string
  url: string
}

/** A verified event, reduced to the customer or organization whose state changed. */
export interface ProcessorEvent {
  id: string
  type: string
  customerId: string | null
  /** From the metadata; the caller must verify it. */
  organizationId: string | null
}

/** The payment processor. All methods but `readEvent` use the network and throw {@link ProcessorFailure}. */
export interface PaymentProcessor {
  /** Creates an organization's customer; idempotent for a day. `replaces`: a deleted customer. */
  createCustomer(organization: { id: string; name: string; replaces: string | null }): Promise<string>
  readCustomer(customerId: string): Promise<CustomerReading>
  /** The open checkouts of a customer, with their plans. */
  listOpenCheckouts(
    customerId: string,
  ): Promise<(CheckoutPage & { tier: string | undefined; interval: string | undefined })[]>
  /** @throws ProcessorFailure, which names a missing price. */
  openCheckout(
    checkout: SoldPlan & {
      organizationId: string
      customerId: string
      isMetered: boolean
      /** 0: none. */
      trialDays: number
      successUrl: string
      cancelUrl: string
    },
  ): Promise<CheckoutPage>
  expireCheckout(id: string): Promise<void>
  /** The newest invoices of a customer; none of one that is deleted. */
  listInvoices(customerId: string, limit: number): Promise<Invoice[]>
  openPortal(portal: { customerId: string; returnUrl: string }): Promise<CheckoutPage>
  /** Adds the price of extra answers to a subscription that moved to a metered tier without it. */
  addMeter(subscriptionId: string): Promise<void>
  /** Reports answers over the cap; a repeated identifier succeeds. */
  reportAnswers(report: {
    identifier: string
    customerId: string
    answers: number
    servedAt: Date
  }): Promise<void>
  /** Verifies a webhook's signature and age. @throws AppError `webhook_signature_invalid`, `malformed_json` */
  readEvent(rawBody: Buffer, signature: string | undefined, now: Date): ProcessorEvent
}

/** `refused`: not executed; `unavailable`: the outcome is unknown. */
export type ProcessorFailureKind = 'rate_limited' | 'unavailable' | 'refused'

/** A failure with the payment processor's own message, which contains no secret. */
export class ProcessorFailure extends Error {
  readonly kind: ProcessorFailureKind
  /** The wait it asks for; null when it names none. */
  readonly retryAfterMs: number | null

  constructor(
    kind: ProcessorFailureKind,
    message: string,
    options: { retryAfterMs?: number | null; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'ProcessorFailure'
    this.kind = kind
    this.retryAfterMs = options.retryAfterMs ?? null
  }
}

const PUBLIC_WORDS: Record<ProcessorFailureKind, string> = {
  rate_limited: 'The payment processor is limiting requests; try again in a moment',
  unavailable: 'The payment processor could not be reached or failed; try again in a moment',
  refused: 'The payment processor refused',
}

/** Turns a failure into the `upstream_error` shown to users; returns other errors unchanged. */
export function toUpstreamError(error: unknown): unknown {
  if (!(error instanceof ProcessorFailure)) return error
  const words = PUBLIC_WORDS[error.kind]
  const message = error.kind === 'refused' ? `${words}: ${error.message}` : words
  return new AppError('upstream_error', message, { cause: error })
}

/** The tier and interval of a price's lookup key; undefined for unknown keys. */
export function planOfLookupKey(key: string): SoldPlan | undefined {
  return PLANS_BY_KEY.get(key)
}

export function lookupKeyOf(tier: SoldTier, interval: BillingInterval): string {
  return `${tier}_${interval}`
}

/** The meter of answers over the cap, and the lookup key of its price. */
export const OVERAGE_METER = 'answers_overage'

const PLANS_BY_KEY = new Map(
  SOLD_TIERS.flatMap((tier) =>
    INTERVALS.map((interval) => [lookupKeyOf(tier, interval), { tier, interval }] as const),
  ),
)
