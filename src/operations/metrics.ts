import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client'

export interface Metrics {
  registry: Registry
  observeAnswer(answered: { method: string; route: string; status: number; seconds: number }): void
  /** A sync run that this process parted with, and why. */
  observeRun(run: { provider: string; end: string; seconds: number }): void
  /** A page of a sync run that was stored. */
  observePage(provider: string, counts: { ingested: number; deleted: number; failed: number }): void
}

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
  return {
    registry,
    observeAnswer: ({ method, route, status, seconds }) =>
      answers.observe({ method, route, status }, seconds),
    observeRun: ({ provider, end, seconds }) => runs.observe({ provider, end }, seconds),
    observePage: (provider, { ingested, deleted, failed }) => {
      items.inc({ provider, outcome: 'ingested' }, ingested)
      items.inc({ provider, outcome: 'deleted' }, deleted)
      items.inc({ provider, outcome: 'failed' }, failed)
    },
  }
}
