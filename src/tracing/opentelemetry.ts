import { AsyncLocalStorage } from 'node:async_hooks'
import type { Context } from '@opentelemetry/api'
import { type ExportResult, ExportResultCode } from '@opentelemetry/core'
import { defaultResource, type Resource, resourceFromAttributes } from '@opentelemetry/resources'
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { within } from '../background/index.ts'
import { VERSION } from '../kernel/version.ts'
import { createMetricProducer } from './exported-metrics.ts'
import { createMetricExporter, createSpanExporter } from './exporters.ts'
import { traceOutgoingRequests } from './outgoing-requests.ts'
import { createTracer } from './spans.ts'
import { traceStatements } from './statements.ts'
import type { Tracing, TracingOptions } from './tracing.ts'

const SCOPE = 'retrieval-memory-service'
const DEFAULT_SERVICE_NAME = 'retrieval-memory-service'
/** For one export with its retries. */
const EXPORT_TIMEOUT_MS = 5_000
/** The most spans queued for export; further spans are dropped. */
const SPANS_WAITING_MAX = 4_096
const SPANS_A_BATCH = 512
const SPANS_DELAY_MS = 2_000
const METRICS_INTERVAL_MS = 60_000
/** The rest of a drain once requests and sync runs have ended. */
const CLOSE_MAX_MS = 3_000
const FAILURE_TOLD_MS = 60_000

export function createTracing(options: TracingOptions): Tracing {
  const current = new AsyncLocalStorage<Context>()
  const onResult = tellOfFailures(options)
  const resource = resourceOf(options)
  const target = { ...options, timeoutMs: EXPORT_TIMEOUT_MS }
  const exporter = createSpanExporter(target)
  const provider = new TracerProvider({
    resource,
    sampler: samplerOf(options),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: {
          // A request can trigger an export, but the export is not part of its trace.
          export: (spans, done) => current.exit(() => exporter.export(spans, onResult(done))),
          shutdown: () => exporter.shutdown(),
        },
        maxQueueSize: SPANS_WAITING_MAX,
        maxExportBatchSize: SPANS_A_BATCH,
        scheduledDelayMillis: SPANS_DELAY_MS,
        exportTimeoutMillis: EXPORT_TIMEOUT_MS,
      }),
    ],
  })
  const tracer = createTracer(provider.getTracer(SCOPE, VERSION), current)
  const stopListening = traceOutgoingRequests(tracer)
  let meters: MeterProvider | undefined
  return {
    tracer,
    onStatement: traceStatements(tracer),
    exportMetrics(registry) {
      const metricExporter = createMetricExporter(target)
      const reader = new PeriodicExportingMetricReader({
        exporter: {
          export: (metrics, done) => current.exit(() => metricExporter.export(metrics, onResult(done))),
          forceFlush: () => metricExporter.forceFlush(),
          shutdown: () => metricExporter.shutdown(),
        },
        metricProducers: [createMetricProducer(registry, resource)],
        exportIntervalMillis: METRICS_INTERVAL_MS,
        exportTimeoutMillis: EXPORT_TIMEOUT_MS,
      })
      meters = new MeterProvider({ resource, readers: [reader] })
    },
    async close() {
      stopListening()
      const closing = Promise.allSettled([provider.shutdown(), meters?.shutdown()])
      if (!(await within(CLOSE_MAX_MS, closing)))
        options.logger.warn({}, 'the last traces and metrics were not sent in time')
    },
  }
}

/** The attributes of every span and metric of this process; the instance ID tells replicas apart. */
function resourceOf({ serviceName, instanceId, resourceAttributes }: TracingOptions): Resource {
  return defaultResource().merge(
    resourceFromAttributes({
      'service.name': DEFAULT_SERVICE_NAME,
      'service.version': VERSION,
      'service.instance.id': instanceId,
      ...resourceAttributes,
      ...(serviceName === undefined ? {} : { 'service.name': serviceName }),
    }),
  )
}

type Done = (result: ExportResult) => void

/** A failing exporter does not affect requests; it is logged once in a while. */
function tellOfFailures({ logger }: TracingOptions): (done: Done) => Done {
  let toldAt = Number.NEGATIVE_INFINITY
  return (done) => (result) => {
    done(result)
    const now = performance.now()
    if (result.code === ExportResultCode.SUCCESS || now - toldAt < FAILURE_TOLD_MS) return
    toldAt = now
    logger.warn({ err: result.error }, 'traces or metrics could not be sent and are lost; requests continue')
  }
}

function samplerOf({ sampler, samplerRatio }: TracingOptions): Sampler {
  const byRatio = new TraceIdRatioBasedSampler(samplerRatio)
  switch (sampler) {
    case 'always_on':
      return new AlwaysOnSampler()
    case 'always_off':
      return new AlwaysOffSampler()
    case 'traceidratio':
      return byRatio
    case 'parentbased_always_on':
      return new ParentBasedSampler({ root: new AlwaysOnSampler() })
    case 'parentbased_always_off':
      return new ParentBasedSampler({ root: new AlwaysOffSampler() })
    case 'parentbased_traceidratio':
      return new ParentBasedSampler({ root: byRatio })
  }
}
