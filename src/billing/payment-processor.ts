import type { BillingInterval, PaymentRemark, SubscriptionStatus } from '../database/schema.ts'
import { AppError } from '../kernel/errors.ts'
import { INTERVALS, SOLD_TIERS, type SoldTier } from './plans/plans.ts'

/** What a subscription becomes, and when; `plan` null: it ends. */
export interface PlannedChange {
  at: Date
  plan: { tier: SoldTier; interval: BillingInterval } | null
}

/** A subscription of a plan that this service sells, as the payment processor has it at the moment of reading. */
export interface SubscriptionReading {
  id: string
  status: Exclude<SubscriptionStatus, 'internal'>
  tier: SoldTier
  interval: BillingInterval
  /** Of the item that is charged most often: the month of an annual plan where its extra answers are charged monthly. */
  periodStart: Date
  periodEnd: Date
  /** Whether `periodStart` to `periodEnd` is a whole year. */
  isYear: boolean
  trialEndsAt: Date | null
  cancelAtPeriodEnd: boolean
  /** null: it stays as it is. */
  planned: PlannedChange | null
  paymentMethodMissing: boolean
  /** Whether extra answers are among what it charges. */
  hasMeter: boolean
  /** What it has otherwise than this service sells it. */
  remarks: PaymentRemark[]
  createdAt: Date
}

/** One whose price this service does not know: everything of it but which tier it is. */
export type UnknownSubscription = Omit<SubscriptionReading, 'tier'> & { prices: string[] }

/** What the payment processor says of a customer. */
export interface CustomerReading {
  /** The newest first. */
  subscriptions: SubscriptionReading[]
  /** Subscriptions of prices that this service does not know, the newest first. */
  unknown: UnknownSubscription[]
  /** Of the newest checkout, where there is no subscription; null: never begun. */
  lastCheckout: 'open' | 'complete' | 'expired' | null
  isDeleted: boolean
}

export interface CheckoutPage {
  id: string
  url: string
}

/** An event whose signature was right, as far as it matters: that something of a customer changed. */
export interface ProcessorEvent {
  id: string
  type: string
  customerId: string | null
  /** As the metadata says; checked by whoever uses it. */
  organizationId: string | null
}

/** The payment processor. All but `readEvent` call it over the network and throw {@link ProcessorFailure}. */
export interface PaymentProcessor {
  /** Makes an organization's customer; the same again within a day returns the same one. `replaces`: one that is deleted. */
  createCustomer(organization: { id: string; name: string; replaces: string | null }): Promise<string>
  readCustomer(customerId: string): Promise<CustomerReading>
  /** The open checkouts of a customer, with the plan that each is for. */
  listOpenCheckouts(
    customerId: string,
  ): Promise<(CheckoutPage & { tier: string | undefined; interval: string | undefined })[]>
  /** @throws ProcessorFailure also when a price is missing, which it names. */
  openCheckout(checkout: {
    organizationId: string
    customerId: string
    tier: SoldTier
    interval: BillingInterval
    isMetered: boolean
    /** 0: none. */
    trialDays: number
    successUrl: string
    cancelUrl: string
  }): Promise<CheckoutPage>
  expireCheckout(id: string): Promise<void>
  openPortal(portal: { customerId: string; returnUrl: string }): Promise<CheckoutPage>
  /** Adds the price of extra answers to a subscription that came to a metered tier without it. */
  addMeter(subscriptionId: string): Promise<void>
  /** Reports answers over the cap; the same identifier again is taken as done. */
  reportAnswers(report: {
    identifier: string
    customerId: string
    answers: number
    servedAt: Date
  }): Promise<void>
  /**
   * Checks a webhook's signature, at most five minutes old.
   * @throws AppError `webhook_signature_invalid`, `malformed_json`
   */
  readEvent(rawBody: Buffer, signature: string | undefined, now: Date): ProcessorEvent
}

/** `refused` was understood and not done; of `unavailable` nobody knows whether it was. */
export type ProcessorFailureKind = 'rate_limited' | 'unavailable' | 'refused'

/** What went wrong at the payment processor, in its own words; they carry no secret. */
export class ProcessorFailure extends Error {
  readonly kind: ProcessorFailureKind
  /** How long it asks to wait; null when it does not say. */
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

/** A failure as the `upstream_error` that a person is answered; other errors as they are. */
export function toUpstreamError(error: unknown): unknown {
  if (!(error instanceof ProcessorFailure)) return error
  const words = PUBLIC_WORDS[error.kind]
  const message = error.kind === 'refused' ? `${words}: ${error.message}` : words
  return new AppError('upstream_error', message, { cause: error })
}

/** The tier and interval that a price's lookup key says; undefined when it is not one of ours. */
export function planOfLookupKey(key: string): { tier: SoldTier; interval: BillingInterval } | undefined {
  return PLANS_BY_KEY.get(key)
}

export function lookupKeyOf(tier: SoldTier, interval: BillingInterval): string {
  return `${tier}_${interval}`
}

/** The meter that counts answers over the cap, and the lookup key of its price. */
export const OVERAGE_METER = 'answers_overage'

const PLANS_BY_KEY = new Map(
  SOLD_TIERS.flatMap((tier) =>
    INTERVALS.map((interval) => [lookupKeyOf(tier, interval), { tier, interval }] as const),
  ),
)
