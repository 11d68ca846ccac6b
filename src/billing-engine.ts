import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type Billing, createBilling, createStripeProcessor } from './billing/index.ts'
import type { Settings } from './config.ts'
import type { OpenDatabase } from './database/database.ts'
import type { Clock } from './kernel/clock.ts'
import type { Metrics } from './operations/index.ts'

/** Puts billing together with the payment processor, where one is configured, and starts it where the role says so. */
export async function startBilling(deps: {
  settings: Settings
  database: OpenDatabase
  clock: Clock
  logger: Logger
  metrics: Metrics
  publicUrl: () => string
  fetch: typeof fetch
}): Promise<Billing> {
  const { settings, database, clock, logger, metrics, publicUrl } = deps
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret } = settings
  const processor =
    secretKey !== undefined && webhookSecret !== undefined
      ? await createStripeProcessor({ secretKey, webhookSecret, apiUrl: settings.STRIPE_API_URL }, deps.fetch)
      : null
  const billing = createBilling({
    db: database.db,
    clock,
    logger,
    processor,
    publicUrl,
    sleep: (ms) => sleep(ms),
    onReportAttempt: metrics.observeReport,
  })
  if (!processor) return billing
  metrics.watchOverage(billing.overage.standing)
  if (settings.ROLE !== 'api') {
    // Nobody else can have the embedded database: what is under way there belongs to a process that is gone.
    if (database.driver === 'embedded') await billing.takeOver()
    billing.start()
  }
  return billing
}
