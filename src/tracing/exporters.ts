import { OTLPExporterBase } from '@opentelemetry/otlp-exporter-base'
import {
  convertLegacyHttpOptions,
  createOtlpHttpExportDelegate,
} from '@opentelemetry/otlp-exporter-base/node-http'
import {
  type IExporterMetricsHelper,
  type ISerializer,
  JsonMetricsSerializer,
  JsonTraceSerializer,
  MetricsExporterMetricsHelper,
  ProtobufMetricsSerializer,
  ProtobufTraceSerializer,
  TraceExporterMetricsHelper,
} from '@opentelemetry/otlp-transformer'
import type { ResourceMetrics } from '@opentelemetry/sdk-metrics'
import type { ReadableSpan } from '@opentelemetry/sdk-trace'
import type { TracingOptions } from './tracing.ts'

const ENCODINGS = {
  'http/json': {
    contentType: 'application/json',
    spans: JsonTraceSerializer,
    metrics: JsonMetricsSerializer,
  },
  'http/protobuf': {
    contentType: 'application/x-protobuf',
    spans: ProtobufTraceSerializer,
    metrics: ProtobufMetricsSerializer,
  },
}

type Target = Pick<TracingOptions, 'endpoint' | 'headers' | 'protocol'> & { timeoutMs: number }

export function createSpanExporter(target: Target): OTLPExporterBase<ReadableSpan[]> {
  const { spans } = ENCODINGS[target.protocol]
  return exporterOf(target, 'traces', spans, TraceExporterMetricsHelper)
}

export function createMetricExporter(target: Target): OTLPExporterBase<ResourceMetrics> {
  const { metrics } = ENCODINGS[target.protocol]
  return exporterOf(target, 'metrics', metrics, MetricsExporterMetricsHelper)
}

/** The library reads the standard settings for compression and certificates from the environment. */
function exporterOf<Sent, Answer>(
  { endpoint, headers, protocol, timeoutMs }: Target,
  signal: 'traces' | 'metrics',
  serializer: ISerializer<Sent, Answer>,
  helper: IExporterMetricsHelper<Sent>,
): OTLPExporterBase<Sent> {
  const path = `v1/${signal}`
  const options = convertLegacyHttpOptions(
    { url: `${endpoint}/${path}`, headers, timeoutMillis: timeoutMs },
    signal.toUpperCase(),
    path,
    { 'Content-Type': ENCODINGS[protocol].contentType },
  )
  // The exporters count nothing about themselves, so there is no meter provider.
  const delegate = createOtlpHttpExportDelegate(options, serializer, `otlp_http_${signal}`, helper, undefined)
  return new OTLPExporterBase(delegate)
}
