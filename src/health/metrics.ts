import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { type Activity, createActivity } from './activity.ts'

export interface Metrics extends Activity {
  registry: Registry
  observeResponse(answered: { method: string; route: string; status: number; seconds: number }): void
  /** Records that a sync run left this process, and how it ended. */
  observeRun(run: { provider: string; end: string; seconds: number }): void
  /** Records an attempt to report answers over the cap to the payment processor. */
  observeReport(attempt: { outcome: 'sent' | 'failed'; answers: number }): void
  /** Starts to export how far those reports are behind, read at each scrape. */
  watchOverage(
    read: () => Promise<{ waitingAnswers: number; uncertainAnswers: number; lagSeconds: number }>,
  ): void
  /** Records a change at the payment processor that a comparison found and no event had announced. */
  observeUnannounced(): void
  /** Starts to export how well the stored subscriptions match the payment processor's, read at each scrape. */
  watchComparison(
    read: () => Promise<{
      ageSeconds: number
      unreadableOrganizations: number
      remarkedOrganizations: number
    }>,
  ): void
  observeWebhook(attempt: { outcome: 'delivered' | 'retried' | 'failed'; seconds: number }): void
  /** Starts to export how far those deliveries are behind, read at each scrape. */
  watchWebhooks(read: () => Promise<{ waiting: number; lagSeconds: number }>): void
  observeCanvasItems(items: number): void
  /** Records whether a search used vectors in memory, an approximate index or the database alone. */
  observeSearch(path: 'memory' | 'approximate' | 'database'): void
  /** Starts to export how much memory cached vectors take, and for how many organizations. */
  watchSearchMemory(read: () => { bytes: number; organizations: number }): void
  observePage(provider: string, counts: { ingested: number; deleted: number; failed: number }): void
}

const RUN_SECONDS_BUCKETS = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600, 14_400]
const SECONDS_BUCKETS = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

export function createMetrics(): Metrics {
  const registry = new Registry()
  addProcessMetrics(registry)
  const answers = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from request to response',
    labelNames: ['method', 'route', 'status'],
    buckets: SECONDS_BUCKETS,
    registers: [registry],
  })
  const runs = new Histogram({
    name: 'sync_run_duration_seconds',
    help: 'Time that this process spent on a sync run, by outcome',
    labelNames: ['provider', 'end'],
    buckets: RUN_SECONDS_BUCKETS,
    registers: [registry],
  })
  const items = new Counter({
    name: 'sync_items_total',
    help: 'Items that sync runs stored, deleted or failed to read',
    labelNames: ['provider', 'outcome'],
    registers: [registry],
  })
  const reported = new Counter({
    name: 'billing_overage_answers_total',
    help: 'Answers over the cap in attempts to report them to the payment processor',
    labelNames: ['outcome'],
    registers: [registry],
  })
  const webhooks = new Histogram({
    name: 'webhook_attempt_duration_seconds',
    help: "Time of an attempt to deliver an event to a workspace's webhook, by outcome",
    labelNames: ['outcome'],
    buckets: SECONDS_BUCKETS,
    registers: [registry],
  })
  const canvasItems = new Counter({
    name: 'memory_canvas_items_total',
    help: 'Items read for the memory canvas',
    registers: [registry],
  })
  const searches = new Counter({
    name: 'searches_total',
    help: 'Searches, by what compared the vectors: those in memory, an approximate index, or the database',
    labelNames: ['path'],
    registers: [registry],
  })
  return {
    registry,
    ...createActivity(),
    observeCanvasItems: (read) => canvasItems.inc(read),
    observeReport: (attempt) => reported.inc({ outcome: attempt.outcome }, attempt.answers),
    watchOverage: (read) => watch(registry, read, OVERAGE_GAUGES),
    ...observeComparison(registry),
    observeWebhook: ({ outcome, seconds }) => webhooks.observe({ outcome }, seconds),
    watchWebhooks: (read) => watch(registry, read, WEBHOOK_GAUGES),
    observeSearch: (path) => searches.inc({ path }),
    watchSearchMemory: (read) => watch(registry, async () => read(), SEARCH_MEMORY_GAUGES),
    observeResponse({ method, route, status, seconds }) {
      answers.observe({ method, route, status }, seconds)
    },
    observeRun: ({ provider, end, seconds }) => runs.observe({ provider, end }, seconds),
    observePage: (provider, { ingested, deleted, failed }) => {
      items.inc({ provider, outcome: 'ingested' }, ingested)
      items.inc({ provider, outcome: 'deleted' }, deleted)
      items.inc({ provider, outcome: 'failed' }, failed)
    },
  }
}

/** The library's gauges that end in `_total`, the suffix of counters, are sums of others, so they are removed. */
function addProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry })
  for (const kind of ['handles', 'requests', 'resources'])
    registry.removeSingleMetric(`nodejs_active_${kind}_total`)
}

function observeComparison(registry: Registry): Pick<Metrics, 'observeUnannounced' | 'watchComparison'> {
  const unannounced = new Counter({
    name: 'billing_unannounced_changes_total',
    help: 'Changes at the payment processor that a comparison found and no event had announced',
    registers: [registry],
  })
  return {
    observeUnannounced: () => unannounced.inc(),
    watchComparison: (read) => watch(registry, read, COMPARISON_GAUGES),
  }
}

/** `/metrics` in Prometheus' text format, without authentication. */
export function addMetrics(server: FastifyInstance, { registry }: Metrics): void {
  server.get('/metrics', async (_request, reply) =>
    reply.type(registry.contentType).send(await registry.metrics()),
  )
}

type OverageStatus = Awaited<ReturnType<Parameters<Metrics['watchOverage']>[0]>>
type ComparisonStatus = Awaited<ReturnType<Parameters<Metrics['watchComparison']>[0]>>
type WebhookLag = Awaited<ReturnType<Parameters<Metrics['watchWebhooks']>[0]>>

const OVERAGE_GAUGES: Record<keyof OverageStatus, { name: string; help: string }> = {
  waitingAnswers: {
    name: 'billing_overage_waiting_answers',
    help: 'Answers served over the cap that the payment processor has not confirmed',
  },
  uncertainAnswers: {
    name: 'billing_overage_uncertain_answers',
    help: 'Of the waiting answers, those that may have arrived and wait for the operator',
  },
  lagSeconds: {
    name: 'billing_overage_lag_seconds',
    help: 'Age of the oldest answer over the cap that the payment processor has not confirmed',
  },
}

const COMPARISON_GAUGES: Record<keyof ComparisonStatus, { name: string; help: string }> = {
  ageSeconds: {
    name: 'billing_comparison_age_seconds',
    help: 'Seconds since the least recent comparison of an organization with the payment processor',
  },
  unreadableOrganizations: {
    name: 'billing_unreadable_organizations',
    help: 'Organizations whose last comparison with the payment processor failed',
  },
  remarkedOrganizations: {
    name: 'billing_remarked_organizations',
    help: 'Organizations whose subscription differs at the payment processor',
  },
}

const WEBHOOK_GAUGES: Record<keyof WebhookLag, { name: string; help: string }> = {
  waiting: {
    name: 'webhook_deliveries_waiting',
    help: "Events not yet delivered to workspaces' webhooks, including retries",
  },
  lagSeconds: {
    name: 'webhook_deliveries_lag_seconds',
    help: 'Age of the oldest due delivery',
  },
}

const SEARCH_MEMORY_GAUGES = {
  bytes: { name: 'search_memory_bytes', help: 'Memory used by cached vectors' },
  organizations: {
    name: 'search_memory_organizations',
    help: 'Organizations whose vectors are cached or loading',
  },
}

/** All gauges come from one read; while the database is unavailable they are NaN. */
function watch<Field extends string>(
  registry: Registry,
  read: () => Promise<Record<Field, number>>,
  gauges: Record<Field, { name: string; help: string }>,
): void {
  let look: Promise<Record<Field, number> | null> | undefined
  const current = (): Promise<Record<Field, number> | null> =>
    (look ??= read()
      .catch(() => null)
      .finally(() => (look = undefined)))
  for (const field in gauges) {
    const gauge: Gauge = new Gauge({
      ...gauges[field],
      registers: [registry],
      collect: async () => gauge.set((await current())?.[field] ?? Number.NaN),
    })
  }
}
