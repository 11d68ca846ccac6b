import { setTimeout as sleep } from 'node:timers/promises'
import { type Billing, createBilling, createStripeProcessor } from '../billing/index.ts'
import type { Metrics } from '../health/index.ts'
import type { Foundation } from './foundation.ts'

export async function createBillingEngine(
  deps: Foundation & {
    metrics: Metrics
    publicUrl: () => string
    fetch: typeof fetch
  },
): Promise<Billing> {
  const { settings, database, clock, logger, metrics, publicUrl } = deps
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret } = settings
  const processor =
    secretKey !== undefined && webhookSecret !== undefined
      ? await createStripeProcessor(
          {
            secretKey,
            webhookSecret,
            apiUrl: settings.STRIPE_API_URL,
            automaticTax: settings.STRIPE_AUTOMATIC_TAX,
          },
          deps.fetch,
        )
      : null
  const billing = createBilling({
    db: database.db,
    clock,
    logger,
    processor,
    publicUrl,
    sleep: (ms) => sleep(ms),
    onReportAttempt: metrics.observeReport,
    onUnannounced: metrics.observeUnannounced,
  })
  if (processor) {
    metrics.watchOverage(billing.overage.status)
    metrics.watchComparison(billing.comparison.status)
  }
  return billing
}
