import {
  startEmulatorServer,
  type EmulatorReply,
  type EmulatorRequest,
  type EmulatorServer,
} from '../kit/server.ts'
import { createRandom } from '../kit/random.ts'
import { createAccount, type Account, type AfterRetries } from './account.ts'
import { createApi, type ApiRoute } from './api.ts'
import { seedCatalog } from './catalog.ts'
import { controlRoutes } from './control-routes.ts'
import type { Controls } from './emulator-parts.ts'
import { settle } from './due.ts'
import { createMeters, type Meters } from './meters.ts'
import { html } from './pages/html.ts'
import { pageReply } from './pages/layout.ts'
import { pageRoutes } from './pages/routes.ts'
import { catalogRoutes } from './routes-catalog.ts'
import { checkoutRoutes } from './routes-checkout.ts'
import { customerRoutes } from './routes-customers.ts'
import { discountRoutes } from './routes-discounts.ts'
import { eventRoutes } from './routes-events.ts'
import { meterRoutes } from './routes-meters.ts'
import { invoiceRoutes, subscriptionRoutes } from './routes-subscriptions.ts'
import { faultBody, StripeError } from './stripe-error.ts'
import { createWebhooks, type Webhooks } from './webhooks.ts'

/** The API version of the answers: that of the `stripe` package. */
export const API_VERSION = '2026-10-28.endive'

export interface StripeEmulatorOptions {
  port?: number
  secretKey?: string
  webhookSecret?: string
  /** Where to send signed events; no events when absent. */
  webhookUrl?: string
  /** Waits before each resend of an event in milliseconds. */
  webhookRetryMs?: readonly number[]
  /** Days from a failed payment to each next attempt. */
  retryDays?: readonly number[]
  /** What happens to a subscription when the last attempt has failed. */
  afterRetries?: AfterRetries
  /** The rate of automatic tax, 20 by default; null: Stripe Tax is not set up. */
  taxPercent?: number | null
  /** The service's current time in epoch milliseconds; the emulator's clock follows it until it is moved. */
  now?: () => number
}

export interface StripeEmulator extends EmulatorServer {
  readonly account: Account
  readonly meters: Meters
  readonly webhooks: Webhooks
  /** The settings that point the service here. */
  readonly env: Record<string, string>
  /** Moves the clock forward and runs everything that becomes due, in order. */
  advance(by: { days?: number; hours?: number; seconds?: number }): void
  /** The same up to a time in seconds since the epoch. */
  advanceTo(time: number): void
  /** Resolves when every event so far has been answered or given up. */
  eventsSent(): Promise<void>
}

/** A Stripe account on 127.0.0.1: API, hosted pages, webhooks, and a movable clock. */
export async function startStripeEmulator(options: StripeEmulatorOptions = {}): Promise<StripeEmulator> {
  const secretKey = options.secretKey ?? 'sk_test_emulator'
  const webhookSecret = options.webhookSecret ?? 'whsec_emulator'
  const account = createAccount({
    now: options.now ?? Date.now,
    apiVersion: API_VERSION,
    retryDays: options.retryDays ?? [3, 5, 7],
    afterRetries: options.afterRetries ?? 'unpaid',
    taxPercent: options.taxPercent === undefined ? 20 : options.taxPercent,
  })
  seedCatalog(account)
  const meters = createMeters(account)
  const webhooks = createWebhooks({
    url: options.webhookUrl,
    secret: webhookSecret,
    retryMs: options.webhookRetryMs ?? [1_000, 5_000, 15_000, 60_000],
    receiversNow: () => account.clock.callersNow(),
    random: createRandom(1),
  })
  account.onEvent(webhooks.send)
  const api = createApi({ account, secretKey, routes: apiRoutes(meters) })
  /** Runs what has become due since the last call. */
  const catchUp = (): void => {
    account.request = { id: null, idempotencyKey: null }
    settle(account)
  }
  const advanceTo = (time: number): void => {
    catchUp()
    account.clock.turnTo(time)
    settle(account)
  }
  const pages = pageRoutes(account, { advanceTo, meters })
  const server = await startEmulatorServer({
    port: options.port ?? 0,
    faultBody,
    control: preceded(controlRoutes({ account, meters, webhooks, api, advanceTo }), catchUp),
    handle: async (request) => {
      catchUp()
      if (request.path.startsWith('/v1/')) return await api.handle(request)
      return servePage(request, pages)
    },
  })
  account.url = server.url
  return {
    url: server.url,
    faults: server.faults,
    requests: server.requests,
    serve: server.serve,
    account,
    meters,
    webhooks,
    env: {
      STRIPE_SECRET_KEY: secretKey,
      STRIPE_WEBHOOK_SECRET: webhookSecret,
      STRIPE_API_URL: server.url,
    },
    advance: ({ days = 0, hours = 0, seconds = 0 }) =>
      advanceTo(account.clock.now() + days * 86_400 + hours * 3_600 + seconds),
    advanceTo,
    eventsSent: webhooks.settled,
    close: async () => {
      await webhooks.close()
      await server.close()
    },
  }
}

function apiRoutes(meters: Meters): Record<string, ApiRoute> {
  return {
    ...customerRoutes,
    ...catalogRoutes,
    ...checkoutRoutes,
    ...discountRoutes,
    ...subscriptionRoutes,
    ...invoiceRoutes,
    ...meterRoutes(meters),
    ...eventRoutes,
  }
}

function preceded(control: Controls, catchUp: () => void): Controls {
  return Object.fromEntries(
    Object.entries(control).map(([name, run]) => [
      name,
      (body: Record<string, unknown>) => {
        catchUp()
        return run(body)
      },
    ]),
  )
}

function servePage(
  request: EmulatorRequest,
  pages: (request: EmulatorRequest) => EmulatorReply | null,
): EmulatorReply {
  try {
    return pages(request) ?? pageReply('Not found', html`<h1>There is no such page.</h1>`, 404)
  } catch (error) {
    if (error instanceof StripeError)
      return pageReply('Not possible', html`<h1>${error.message}</h1>`, error.status)
    throw error
  }
}
