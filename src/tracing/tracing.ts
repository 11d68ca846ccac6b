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

/** How exports are encoded. */
export const PROTOCOLS = ['http/json', 'http/protobuf'] as const

export interface TracingOptions {
  /** Base URL of an OTLP/HTTP receiver; `/v1/traces` and `/v1/metrics` are below it. */
  endpoint: string
  /** Sent with every export. */
  headers: Record<string, string>
  protocol: (typeof PROTOCOLS)[number]
  /** Wins over a `service.name` in `resourceAttributes`. */
  serviceName: string | undefined
  /** Tells this process from its replicas, unless `resourceAttributes` names it. */
  instanceId: string
  /** Added to every span and metric. */
  resourceAttributes: Readonly<Record<string, string>>
  sampler: (typeof SAMPLERS)[number]
  /** Of those samplers that have one: the share that is traced, from 0 to 1. */
  samplerRatio: number
  logger: Pick<Logger, 'warn'>
}

export interface Tracing {
  tracer: Tracer
  /** To be told of every statement that a database handle runs. */
  onStatement: (event: LogEvent) => void
  /** From now on sends what the registry counts, once a minute and at the end. */
  exportMetrics(registry: Registry): void
  /** Sends what waits, for three seconds at most. Does not throw. */
  close(): Promise<void>
}
