import { type ReceivedEvent, startReceiver } from './webhook-receiver.ts'

/** A span in OTLP's JSON, reduced to what tests use. */
export interface ReceivedSpan {
  traceId: string
  spanId: string
  /** Empty: the root of this service's spans. */
  parentSpanId: string
  name: string
  attributes: Record<string, string | number | boolean>
  /** 2: it failed. */
  statusCode: number
}

export interface OtlpReceiver {
  url: string
  received: readonly ReceivedEvent[]
  spans(): ReceivedSpan[]
  /** The resource attributes of each export of spans. */
  resources(): Record<string, string | number | boolean>[]
  /** Every metric of the last export, by name. */
  metrics(): Map<string, Record<string, unknown>>
  close(): Promise<void>
}

/** An OTLP/HTTP receiver on loopback; `spans` and `metrics` read exports in JSON. `status` is its answer. */
export async function startOtlpReceiver(status: () => number = () => 200): Promise<OtlpReceiver> {
  const receiver = await startReceiver((response) => void response.writeHead(status()).end('{}'))
  return {
    url: receiver.url,
    received: receiver.received,
    spans: () => receiver.received.flatMap(({ event }) => spansOf(event)),
    resources: () =>
      receiver.received.flatMap(({ event }) =>
        (event?.resourceSpans ?? []).map(({ resource }: { resource: Pick<RawSpan, 'attributes'> }) =>
          attributesOf(resource),
        ),
      ),
    metrics() {
      const last = receiver.received.findLast(({ event }) => event !== null && 'resourceMetrics' in event)
      const metrics: { name: string }[] = last
        ? last.event.resourceMetrics
            .flatMap((one: { scopeMetrics: unknown[] }) => one.scopeMetrics)
            .flatMap((one: { metrics: unknown[] }) => one.metrics)
        : []
      return new Map(metrics.map((metric) => [metric.name, { ...metric }]))
    },
    close: () => receiver.close(),
  }
}

function spansOf(event: ReceivedEvent['event']): ReceivedSpan[] {
  const spans: RawSpan[] = (event?.resourceSpans ?? [])
    .flatMap((one: { scopeSpans: unknown[] }) => one.scopeSpans)
    .flatMap((one: { spans: unknown[] }) => one.spans)
  return spans.map(({ traceId, spanId, parentSpanId = '', name, status, ...span }) => ({
    traceId,
    spanId,
    parentSpanId,
    name,
    attributes: attributesOf(span),
    statusCode: status?.code ?? 0,
  }))
}

function attributesOf({ attributes }: Pick<RawSpan, 'attributes'>): ReceivedSpan['attributes'] {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0] ?? '']))
}

interface RawSpan extends Pick<ReceivedSpan, 'traceId' | 'spanId' | 'name'> {
  parentSpanId?: string
  attributes: { key: string; value: Record<string, string | number | boolean> }[]
  status?: { code?: number }
}
