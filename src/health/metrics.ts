import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

export interface Metrics {
  registry: Registry
  observeAnswer(answered: { method: string; route: string; status: number; seconds: number }): void
  /** Whether a request was answered within the last half second. */
  hasJustAnswered(): boolean
  /** A sync run that this process parted with, and why. */
  observeRun(run: { provider: string; end: string; seconds: number }): void
  /** An attempt to report answers over the cap to the payment processor. */
  observeReport(attempt: { outcome: 'sent' | 'failed'; answers: number }): void
  /** From now on shows how far those reports are behind, as it is at each look. */
  watchOverage(
    read: () => Promise<{ waitingAnswers: number; uncertainAnswers: number; lagSeconds: number }>,
  ): void
  /** Items that were read for the memory canvas. */
  observeCanvasItems(items: number): void
  /** A page of a sync run that was stored. */
  observePage(provider: string, counts: { ingested: number; deleted: number; failed: number }): void
}

const JUST_MS = 500
const RUN_SECONDS_BUCKETS = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600, 14_400]
const SECONDS_BUCKETS = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Prometheus metrics of the process and of every answered request, by route. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const answers = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the request to its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: SECONDS_BUCKETS,
    registers: [registry],
  })
  const runs = new Histogram({
    name: 'sync_run_duration_seconds',
    help: 'Time this process worked on a sync run, by how that ended',
    labelNames: ['provider', 'end'],
    buckets: RUN_SECONDS_BUCKETS,
    registers: [registry],
  })
  const items = new Counter({
    name: 'sync_items_total',
    help: 'Items that sync runs stored, deleted or could not read',
    labelNames: ['provider', 'outcome'],
    registers: [registry],
  })
  const reported = new Counter({
    name: 'billing_overage_answers_total',
    help: 'Answers over the cap in attempts to report them to the payment processor',
    labelNames: ['outcome'],
    registers: [registry],
  })
  const canvasItems = new Counter({
    name: 'memory_canvas_items_total',
    help: 'Items read for the memory canvas',
    registers: [registry],
  })
  let answeredAt = Number.NEGATIVE_INFINITY
  return {
    registry,
    hasJustAnswered: () => performance.now() - answeredAt < JUST_MS,
    observeCanvasItems: (read) => canvasItems.inc(read),
    observeReport: (attempt) => reported.inc({ outcome: attempt.outcome }, attempt.answers),
    watchOverage: (read) => watchOverage(registry, read),
    observeAnswer({ method, route, status, seconds }) {
      answeredAt = performance.now()
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

/** `/metrics`, in Prometheus' text format and for everybody. */
export function addMetrics(server: FastifyInstance, { registry }: Metrics): void {
  server.get('/metrics', async (_request, reply) =>
    reply.type(registry.contentType).send(await registry.metrics()),
  )
}

/** All three are of one look; while the database cannot be read they are not a number. */
function watchOverage(registry: Registry, read: Parameters<Metrics['watchOverage']>[0]): void {
  type Standing = Awaited<ReturnType<typeof read>>
  let look: Promise<Standing | null> | undefined
  const current = (): Promise<Standing | null> =>
    (look ??= read()
      .catch(() => null)
      .finally(() => (look = undefined)))
  const watch = (name: string, help: string, field: keyof Standing): void => {
    const gauge: Gauge = new Gauge({
      name,
      help,
      registers: [registry],
      collect: async () => gauge.set((await current())?.[field] ?? Number.NaN),
    })
  }
  watch(
    'billing_overage_waiting_answers',
    'Answers served over the cap that the payment processor has not confirmed',
    'waitingAnswers',
  )
  watch(
    'billing_overage_uncertain_answers',
    'Of the waiting answers, those that may have arrived and wait for the operator',
    'uncertainAnswers',
  )
  watch(
    'billing_overage_lag_seconds',
    'Age of the oldest answer over the cap that the payment processor has not confirmed',
    'lagSeconds',
  )
}
