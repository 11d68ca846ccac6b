import type { LogEvent } from 'kysely'
import type { Registry } from 'prom-client'
import type { Tracer } from '../kernel/tracer.ts'
import type { Logger } from '../kernel/logger.ts'

/** The standard's names: https://opentelemetry.io/docs/languages/sdk-configuration/general/ */
export const SAMPLERS = [
  'parentbased_always_on',
  'parentbased_traceidratio',
  'parentbased_always_off',
  'always_on',
  'traceidratio',
  'always_off',
] as const

export const PROTOCOLS = ['http/json', 'http/protobuf'] as const

export interface TracingOptions {
  /** The base URL of an OTLP/HTTP receiver, without `/v1/traces` and `/v1/metrics`. */
  endpoint: string
  headers: Record<string, string>
  protocol: (typeof PROTOCOLS)[number]
  /** Takes precedence over `service.name` in `resourceAttributes`. */
  serviceName: string | undefined
  /** Distinguishes this process from its replicas, unless `resourceAttributes` names it. */
  instanceId: string
  resourceAttributes: Readonly<Record<string, string>>
  sampler: (typeof SAMPLERS)[number]
  /** For ratio samplers: the share that is traced, from 0 to 1. */
  samplerRatio: number
  logger: Pick<Logger, 'warn'>
}

export interface Tracing {
  tracer: Tracer
  onStatement: (event: LogEvent) => void
  /** Starts to export the registry's metrics, once a minute and at the end. */
  exportMetrics(registry: Registry): void
  /** Sends queued spans and metrics within three seconds. Does not throw. */
  close(): Promise<void>
}
