import { type HrTime, ValueType } from '@opentelemetry/api'
import { millisToHrTime } from '@opentelemetry/core'
import type { Resource } from '@opentelemetry/resources'
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type Histogram,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics'
import type { MetricObjectWithValues, MetricValue, Registry } from 'prom-client'

type Shown = MetricObjectWithValues<MetricValueWithName>
interface MetricValueWithName extends MetricValue<string> {
  metricName?: string
}
type Labels = Record<string, string | number>

/** Metrics with a standard name: https://opentelemetry.io/docs/specs/semconv/http/http-metrics/ */
const CONVENTIONS: Readonly<Record<string, { name: string; labels: Readonly<Record<string, string>> }>> = {
  http_request_duration_seconds: {
    name: 'http.server.request.duration',
    labels: { method: 'http.request.method', route: 'http.route', status: 'http.response.status_code' },
  },
}

/** The same counts from the same start as `/metrics`, with conventional names where there are some. */
export function createMetricProducer(registry: Registry, resource: Resource): MetricProducer {
  const startTime = millisToHrTime(Date.now())
  return {
    async collect() {
      const endTime = millisToHrTime(Date.now())
      const shown: Shown[] = await registry.getMetricsAsJSON()
      const metrics = shown.flatMap((metric) => toMetric(metric, { startTime, endTime }))
      const scope = { name: 'retrieval-memory-service' }
      return { resourceMetrics: { resource, scopeMetrics: [{ scope, metrics }] }, errors: [] }
    },
  }
}

interface Times {
  startTime: HrTime
  endTime: HrTime
}

function toMetric(metric: Shown, times: Times): MetricData[] {
  const convention = CONVENTIONS[metric.name]
  const point = <Value>(labels: Labels, value: Value): DataPoint<Value> => ({
    ...times,
    attributes: Object.fromEntries(
      Object.entries(labels).map(([label, text]) => [convention?.labels[label] ?? label, text]),
    ),
    value,
  })
  const common = {
    descriptor: {
      name: convention?.name ?? metric.name,
      description: metric.help,
      unit: unitOf(metric.name),
      valueType: ValueType.DOUBLE,
    },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  }
  // A gauge that could not be read is NaN; it is left out here.
  const numbers = (): DataPoint<number>[] =>
    metric.values
      .filter(({ value }) => Number.isFinite(value))
      .map(({ labels, value }) => point(labelsOf(labels), value))
  // The library's types say numbers, but its values are words.
  switch (String(metric.type)) {
    case 'counter':
      return [{ ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: numbers() }]
    case 'gauge':
      return [{ ...common, dataPointType: DataPointType.GAUGE, dataPoints: numbers() }]
    case 'histogram': {
      const dataPoints = histograms(metric).map(({ labels, value }) => point(labels, value))
      return [{ ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints }]
    }
    default:
      return []
  }
}

function unitOf(name: string): string {
  if (name.includes('_seconds')) return 's'
  return name.includes('_bytes') ? 'By' : '1'
}

interface Counted {
  labels: Labels
  bounds: number[]
  cumulative: number[]
  sum: number
  count: number
}

/** Prometheus counts values up to each bound; OTLP counts values between two. */
function histograms({ name, values }: Shown): { labels: Labels; value: Histogram }[] {
  const byLabels = new Map<string, Counted>()
  for (const { labels: given, value, metricName } of values) {
    const { le, ...labels } = labelsOf(given)
    const key = JSON.stringify(labels)
    const counted = byLabels.get(key) ?? { labels, bounds: [], cumulative: [], sum: 0, count: 0 }
    byLabels.set(key, counted)
    if (metricName === `${name}_sum`) counted.sum = value
    else if (metricName === `${name}_count`) counted.count = value
    else if (typeof le === 'number') {
      counted.bounds.push(le)
      counted.cumulative.push(value)
    }
  }
  return [...byLabels.values()].map(({ labels, bounds, cumulative, sum, count }) => ({
    labels,
    value: {
      buckets: {
        boundaries: bounds,
        counts: [...cumulative, count].map((upTo, at) => upTo - (at === 0 ? 0 : (cumulative[at - 1] ?? 0))),
      },
      sum,
      count,
    },
  }))
}

function labelsOf(labels: Partial<Record<string, string | number>>): Labels {
  const given: Labels = {}
  for (const [label, value] of Object.entries(labels)) if (value !== undefined) given[label] = value
  return given
}
