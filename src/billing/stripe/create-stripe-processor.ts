import { createHash } from 'node:crypto'
import type { Stripe } from 'stripe'
import { refuseRedirects } from '../../kernel/refuse-redirects.ts'
import { INTERVALS } from '../../database/schema-words.ts'
import { codeOf } from '../../kernel/thrown-errors.ts'
import { SOLD_TIERS, type SoldTier } from '../plans/plans.ts'
import {
  lookupKeyOf,
  OVERAGE_METER,
  type PaymentProcessor,
  ProcessorFailure,
  type ProcessorFailureKind,
} from '../payment-processor.ts'
import { readStripeEvent } from './stripe-event.ts'
import { listInvoices } from './stripe-invoices.ts'
import { isOtherMetered, knowsPrices, type PlanOfProduct, readSubscriptions } from './stripe-reading.ts'
import { idOf, plannedPrices } from './stripe-schedule.ts'

export interface StripeSettings {
  secretKey: string
  webhookSecret: string
  /** Replaces https://api.stripe.com. */
  apiUrl: string | undefined
  /** Whether Stripe computes taxes at checkout; it refuses when Stripe Tax is not set up. */
  automaticTax: boolean
}

const TIMEOUT_MS = 10_000
const RETRIES = 2
/** More than any customer has; the newest are read. */
const SUBSCRIPTIONS_READ = 100

/** A Stripe client. Its package is loaded on demand. */
export async function createStripeProcessor(
  settings: StripeSettings,
  fetcher: typeof fetch,
): Promise<PaymentProcessor> {
  const { default: StripeClient } = await import('stripe')
  const stripe = new StripeClient(settings.secretKey, {
    httpClient: StripeClient.createFetchHttpClient(refuseRedirects(fetcher)),
    timeout: TIMEOUT_MS,
    maxNetworkRetries: RETRIES,
    telemetry: false,
    ...hostOf(settings.apiUrl),
  })
  const call = async <T>(run: () => Promise<T>): Promise<T> => {
    try {
      return await run()
    } catch (error) {
      throw error instanceof StripeClient.errors.StripeError ? toFailure(error, settings.secretKey) : error
    }
  }

  return {
    createCustomer: ({ id, name, replaces }) =>
      call(async () => {
        const customer = await stripe.customers.create(
          { name, metadata: { organizationId: id } },
          { idempotencyKey: customerKey(id, name, replaces) },
        )
        return customer.id
      }),
    readCustomer: (customerId) => call(() => readCustomer(stripe, customerId)),
    listOpenCheckouts: (customerId) =>
      call(async () => {
        const sessions = await stripe.checkout.sessions.list({
          customer: customerId,
          status: 'open',
          limit: SUBSCRIPTIONS_READ,
        })
        return sessions.data.flatMap(({ id, url, metadata }) =>
          url === null ? [] : [{ id, url, tier: metadata?.tier, interval: metadata?.interval }],
        )
      }),
    openCheckout: (checkout) => call(() => openCheckout(stripe, checkout, settings.automaticTax)),
    expireCheckout: (id) => call(async () => void (await stripe.checkout.sessions.expire(id))),
    listInvoices: (customerId, limit) => call(() => listInvoices(stripe, customerId, limit)),
    openPortal: ({ customerId, returnUrl }) =>
      call(() => stripe.billingPortal.sessions.create({ customer: customerId, return_url: returnUrl })),
    addMeter: (subscriptionId) =>
      call(async () => {
        const price = (await findPrices(stripe, [OVERAGE_METER])).get(OVERAGE_METER)
        // Without an idempotency key, because the price may be removed and added again. Stripe refuses a second item
        // of the same price.
        await stripe.subscriptionItems.create({
          subscription: subscriptionId,
          price: required(price, OVERAGE_METER),
          proration_behavior: 'none',
        })
      }),
    reportAnswers: (report) => call(() => reportAnswers(stripe, report)),
    readEvent: (rawBody, signature, now) =>
      readStripeEvent(stripe, { rawBody, signature, secret: settings.webhookSecret, now }),
  }
}

/** Contains the name: for a day, Stripe rejects a key with other parameters, so a renamed workspace could not buy. */
function customerKey(id: string, name: string, replaces: string | null): string {
  const named = createHash('sha256').update(name).digest('hex').slice(0, 16)
  return `customer-${id}-${named}${replaces === null ? '' : `-after-${replaces}`}`
}

function hostOf(apiUrl: string | undefined) {
  if (apiUrl === undefined) return {}
  const url = new URL(apiUrl)
  const protocol: 'http' | 'https' = url.protocol === 'http:' ? 'http' : 'https'
  return { host: url.hostname, port: url.port || (protocol === 'http' ? 80 : 443), protocol }
}

async function readCustomer(stripe: Stripe, customerId: string) {
  const subscriptions = await stripe.subscriptions.list({
    customer: customerId,
    status: 'all',
    limit: SUBSCRIPTIONS_READ,
    expand: ['data.customer', 'data.schedule'],
  })
  const planned = await Promise.all(
    plannedPrices(subscriptions.data).map((price) => stripe.prices.retrieve(price)),
  )
  const isKnown = knowsPrices(subscriptions.data, planned)
  const planOfProduct = isKnown ? NO_PRODUCTS : await readProducts(stripe)
  const isMeterInDoubt = subscriptions.data.some(({ items }) =>
    items.data.some(({ price }) => isOtherMetered(price)),
  )
  const meter = isMeterInDoubt ? await findOverageMeter(stripe) : null
  const reading = { subscriptions: readSubscriptions(subscriptions.data, { planOfProduct, planned, meter }) }
  if (reading.subscriptions.some(({ tier }) => tier !== null)) {
    // Stripe still lists a deleted customer's subscriptions, as canceled.
    const isDeleted = subscriptions.data.some(
      (one) => typeof one.customer !== 'string' && one.customer.deleted,
    )
    return { ...reading, lastCheckout: null, isDeleted }
  }
  const customer = await stripe.customers.retrieve(customerId)
  if (customer.deleted) return { ...reading, lastCheckout: null, isDeleted: true }
  const [last] = (await stripe.checkout.sessions.list({ customer: customerId, limit: 1 })).data
  return { ...reading, lastCheckout: checkoutStatus(last?.status), isDeleted: false }
}

function checkoutStatus(status: string | null | undefined): 'open' | 'complete' | 'expired' | null {
  return status === 'open' || status === 'complete' || status === 'expired' ? status : null
}

const NO_PRODUCTS: PlanOfProduct = new Map()

/** Each product's tier, by its current prices: a retired price has lost its lookup key. */
async function readProducts(stripe: Stripe): Promise<PlanOfProduct> {
  const tiers = new Map<string, Set<SoldTier>>()
  for (const tier of SOLD_TIERS) {
    const keys = INTERVALS.map((interval) => lookupKeyOf(tier, interval))
    const prices = await stripe.prices.list({ lookup_keys: keys, limit: keys.length })
    for (const { product } of prices.data) {
      const id = idOf(product)
      tiers.set(id, (tiers.get(id) ?? new Set()).add(tier))
    }
  }
  return new Map(
    [...tiers].flatMap(([product, found]) => {
      const [tier] = found
      return tier !== undefined && found.size === 1 ? [[product, tier]] : []
    }),
  )
}

/** The meter behind the price of extra answers; null when that is not for sale. */
async function findOverageMeter(stripe: Stripe): Promise<string | null> {
  const [price] = (await stripe.prices.list({ lookup_keys: [OVERAGE_METER], active: true, limit: 1 })).data
  return price?.recurring?.meter ?? null
}

/** The ids of the current prices with these lookup keys. */
async function findPrices(stripe: Stripe, lookupKeys: string[]): Promise<Map<string, string>> {
  const prices = await stripe.prices.list({
    lookup_keys: lookupKeys,
    active: true,
    limit: 2 * lookupKeys.length,
  })
  return new Map(prices.data.flatMap(({ id, lookup_key: key }) => (key === null ? [] : [[key, id]])))
}

function required(price: string | undefined, lookupKey: string): string {
  if (price !== undefined) return price
  throw new ProcessorFailure('refused', `it has no active price with the lookup key ${lookupKey}`)
}

async function openCheckout(
  stripe: Stripe,
  checkout: Parameters<PaymentProcessor['openCheckout']>[0],
  automaticTax: boolean,
): Promise<{ id: string; url: string }> {
  const { organizationId, tier, interval } = checkout
  const planKey = lookupKeyOf(tier, interval)
  const keys = checkout.isMetered ? [planKey, OVERAGE_METER] : [planKey]
  const prices = await findPrices(stripe, keys)
  const metadata = { organizationId, tier, interval }
  const session = await stripe.checkout.sessions.create({
    mode: 'subscription',
    customer: checkout.customerId,
    client_reference_id: organizationId,
    metadata,
    line_items: [
      { price: required(prices.get(planKey), planKey), quantity: 1 },
      ...(checkout.isMetered ? [{ price: required(prices.get(OVERAGE_METER), OVERAGE_METER) }] : []),
    ],
    subscription_data: {
      metadata: { organizationId },
      // Only this mode allows an annual plan and monthly extra answers in one subscription.
      billing_mode: { type: 'flexible' },
      ...(checkout.trialDays > 0
        ? {
            trial_period_days: checkout.trialDays,
            trial_settings: { end_behavior: { missing_payment_method: 'cancel' } },
          }
        : {}),
    },
    payment_method_collection: 'always',
    allow_promotion_codes: true,
    tax_id_collection: { enabled: true },
    // Stripe accepts a tax id only with a name, and computes taxes only with an address; this lets it store both on
    // the customer.
    customer_update: { name: 'auto', address: 'auto' },
    ...(automaticTax ? { automatic_tax: { enabled: true } } : {}),
    success_url: checkout.successUrl,
    cancel_url: checkout.cancelUrl,
  })
  if (session.url === null) throw new ProcessorFailure('refused', 'it returned a checkout without a page')
  return { id: session.id, url: session.url }
}

async function reportAnswers(
  stripe: Stripe,
  report: Parameters<PaymentProcessor['reportAnswers']>[0],
): Promise<void> {
  try {
    await stripe.billing.meterEvents.create(
      {
        event_name: OVERAGE_METER,
        identifier: report.identifier,
        timestamp: Math.floor(report.servedAt.getTime() / 1000),
        payload: { stripe_customer_id: report.customerId, value: String(report.answers) },
      },
      // The reporter retries later with the same identifier.
      { maxNetworkRetries: 0 },
    )
  } catch (error) {
    if (!isKnownReport(error)) throw error
  }
}

/** Stripe refuses a repeated identifier: the answers are already counted. */
function isKnownReport(error: unknown): boolean {
  if (!(error instanceof Error) || !('type' in error) || error.type !== 'StripeInvalidRequestError')
    return false
  return (
    codeOf(error) === 'duplicate_meter_event' ||
    error.message.startsWith('An event already exists with identifier')
  )
}

const WORDS_LENGTH_MAX = 500

function toFailure(error: Stripe.errors.StripeError, secretKey: string): ProcessorFailure {
  const status = error.statusCode
  const inner = error.detail instanceof Error ? `${error.message} (${error.detail.message})` : error.message
  const words = inner.replaceAll(secretKey, '[secret]').slice(0, WORDS_LENGTH_MAX)
  const retryAfter = Number(error.headers?.['retry-after'])
  return new ProcessorFailure(
    failureKind(status),
    status === undefined ? words : `HTTP ${status}: ${words}`,
    {
      retryAfterMs: Number.isFinite(retryAfter) && retryAfter > 0 ? retryAfter * 1000 : null,
    },
  )
}

function failureKind(status: number | undefined): ProcessorFailureKind {
  if (status === undefined || status < 400 || status >= 500 || status === 408 || status === 409)
    return 'unavailable'
  return status === 429 ? 'rate_limited' : 'refused'
}
