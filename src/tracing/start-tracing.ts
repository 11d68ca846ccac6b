import type { Tracing, TracingOptions } from './tracing.ts'

/** Loads the packages only now. */
export async function startTracing(options: TracingOptions): Promise<Tracing> {
  const { createTracing } = await import('./opentelemetry.ts')
  return createTracing(options)
}
