import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { createActivity } from './activity.ts'

const RUN_SECONDS_BUCKETS = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600, 14_400]
const SECONDS_BUCKETS = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

export type Metrics = ReturnType<typeof createMetrics>

export function createMetrics() {
  const registry = new Registry()
  addProcessMetrics(registry)
  const { responses, runs, items, reported, webhooks, canvasItems, searches, unannounced } =
    createInstruments(registry)
  const observePage = (
    provider: string,
    { ingested, deleted, failed }: { ingested: number; deleted: number; failed: number },
  ): void => {
    items.inc({ provider, outcome: 'ingested' }, ingested)
    items.inc({ provider, outcome: 'deleted' }, deleted)
    items.inc({ provider, outcome: 'failed' }, failed)
  }
  return {
    registry,
    ...createActivity(),
    observeResponse({
      method,
      route,
      status,
      seconds,
    }: Timed & { method: string; route: string; status: number }) {
      responses.observe({ method, route, status }, seconds)
    },
    observeRun: ({ provider, end, seconds }: Timed & { provider: string; end: string }) =>
      runs.observe({ provider, end }, seconds),
    observePage,
    observeReport: (attempt: { outcome: 'sent' | 'failed'; answers: number }) =>
      reported.inc({ outcome: attempt.outcome }, attempt.answers),
    watchOverage: (read: Reader<typeof OVERAGE_GAUGES>) => watch(registry, read, OVERAGE_GAUGES),
    observeUnannounced: () => unannounced.inc(),
    watchComparison: (read: Reader<typeof COMPARISON_GAUGES>) => watch(registry, read, COMPARISON_GAUGES),
    observeWebhook: ({ outcome, seconds }: Timed & { outcome: 'delivered' | 'retried' | 'failed' }) =>
      webhooks.observe({ outcome }, seconds),
    watchWebhooks: (read: Reader<typeof WEBHOOK_GAUGES>) => watch(registry, read, WEBHOOK_GAUGES),
    observeCanvasItems: (read: number) => canvasItems.inc(read),
    observeSearch: (path: 'memory' | 'approximate' | 'database') => searches.inc({ path }),
    watchVectorMemory: (read: () => Awaited<ReturnType<Reader<typeof VECTOR_MEMORY_GAUGES>>>) =>
      watch(registry, async () => read(), VECTOR_MEMORY_GAUGES),
  }
}

interface Timed {
  seconds: number
}

/** Reads the values of gauges at each scrape. */
type Reader<Gauges> = () => Promise<Record<keyof Gauges, number>>

function createInstruments(registry: Registry) {
  return {
    responses: new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Time from request to response',
      labelNames: ['method', 'route', 'status'],
      buckets: SECONDS_BUCKETS,
      registers: [registry],
    }),
    runs: new Histogram({
      name: 'sync_run_duration_seconds',
      help: 'Time that this process spent on a sync run, by outcome',
      labelNames: ['provider', 'end'],
      buckets: RUN_SECONDS_BUCKETS,
      registers: [registry],
    }),
    items: new Counter({
      name: 'sync_items_total',
      help: 'Items that sync runs stored, deleted or failed to read',
      labelNames: ['provider', 'outcome'],
      registers: [registry],
    }),
    reported: new Counter({
      name: 'billing_overage_answers_total',
      help: 'Answers over the cap in attempts to report them to the payment processor',
      labelNames: ['outcome'],
      registers: [registry],
    }),
    webhooks: new Histogram({
      name: 'webhook_attempt_duration_seconds',
      help: "Time of an attempt to deliver an event to a workspace's webhook, by outcome",
      labelNames: ['outcome'],
      buckets: SECONDS_BUCKETS,
      registers: [registry],
    }),
    canvasItems: new Counter({
      name: 'memory_canvas_items_total',
      help: 'Items read for the memory canvas',
      registers: [registry],
    }),
    searches: new Counter({
      name: 'searches_total',
      help: 'Searches, by what compared the vectors: those in memory, an approximate index, or the database',
      labelNames: ['path'],
      registers: [registry],
    }),
    unannounced: new Counter({
      name: 'billing_unannounced_changes_total',
      help: 'Changes at the payment processor that a comparison found and no event had announced',
      registers: [registry],
    }),
  }
}

/** The library's gauges that end in `_total`, the suffix of counters, are sums of others, so they are removed. */
function addProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry })
  for (const kind of ['handles', 'requests', 'resources'])
    registry.removeSingleMetric(`nodejs_active_${kind}_total`)
}

/** `/metrics` in Prometheus' text format, without authentication. */
export function addMetrics(server: FastifyInstance, { registry }: Metrics): void {
  server.get('/metrics', async (_request, reply) =>
    reply.type(registry.contentType).send(await registry.metrics()),
  )
}

const OVERAGE_GAUGES = {
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

const COMPARISON_GAUGES = {
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

const WEBHOOK_GAUGES = {
  waiting: {
    name: 'webhook_deliveries_waiting',
    help: "Events not yet delivered to workspaces' webhooks, including retries",
  },
  lagSeconds: {
    name: 'webhook_deliveries_lag_seconds',
    help: 'Age of the oldest due delivery',
  },
}

const VECTOR_MEMORY_GAUGES = {
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
