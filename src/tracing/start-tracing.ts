import type { Tracing, TracingOptions } from './tracing.ts'

/** Tracing as the options say; the packages for it are loaded only now. */
export async function startTracing(options: TracingOptions): Promise<Tracing> {
  const { createTracing } = await import('./opentelemetry.ts')
  return createTracing(options)
}
