import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type Context,
  defaultTextMapGetter,
  type Span as OtelSpan,
  SpanKind,
  SpanStatusCode,
  ROOT_CONTEXT,
  trace,
  type Tracer as OtelTracer,
} from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import type { Span, SpanOptions, Tracer } from '../kernel/tracer.ts'

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL }

/** The span of each asynchronous context. It is our own, so that no global state is set for other libraries. */
export type CurrentContext = AsyncLocalStorage<Context>

export function createTracer(otel: OtelTracer, current: CurrentContext): Tracer {
  const propagator = new W3CTraceContextPropagator()

  /** Work can continue after its span has ended, or the sampler can have dropped it; then there is no parent. */
  const live = (): Context | null => {
    const context = current.getStore()
    return context !== undefined && trace.getSpan(context)?.isRecording() === true ? context : null
  }
  const parentOf = (parent: SpanOptions['parent'] = 'current'): Context | null => {
    if (parent === 'none') return ROOT_CONTEXT
    if (parent === 'current') return live()
    return live() ?? propagator.extract(ROOT_CONTEXT, parent, defaultTextMapGetter)
  }

  return {
    begin(name, { kind = 'internal', attributes = {}, parent } = {}) {
      const above = parentOf(parent)
      if (above === null) return NOTHING
      const span = otel.startSpan(name, { kind: KINDS[kind], attributes: { ...attributes } }, above)
      return toSpan(span, trace.setSpan(above, span), current)
    },
    record(name, ms, { attributes, failure }) {
      const above = live()
      if (above === null) return
      const endedAt = performance.timeOrigin + performance.now()
      const options = { kind: SpanKind.CLIENT, attributes: { ...attributes }, startTime: endedAt - ms }
      const span = otel.startSpan(name, options, above)
      if (failure) markFailed(span, failure.error)
      span.end(endedAt)
    },
  }
}

const NOTHING: Span = { within: (work) => work(), set() {}, end() {} }

function toSpan(span: OtelSpan, context: Context, current: CurrentContext): Span {
  return {
    within: (work) => current.run(context, work),
    set: (attributes) => void span.setAttributes({ ...attributes }),
    end(failure) {
      // The SDK would warn about a second end.
      if (!span.isRecording()) return
      if (failure) markFailed(span, failure.error)
      span.end()
    },
  }
}

/** Error messages can repeat what a caller wrote. */
function markFailed(span: OtelSpan, error: unknown): void {
  span.setAttribute('error.type', errorType(error))
  span.setStatus({ code: SpanStatusCode.ERROR })
}

const CODE = /^\w{1,64}$/

function errorType(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  return 'code' in error && typeof error.code === 'string' && CODE.test(error.code) ? error.code : error.name
}
