/** A span's attributes. Never include text of a caller or a document, a secret, or a statement's parameters. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>

export interface SpanOptions {
  /** `server` and `client` are the two sides of a request. Defaults to `internal`. */
  kind?: 'server' | 'client' | 'internal'
  attributes?: SpanAttributes
  /** `current` (the default): a child of the current span. `none`: a new trace. Headers: a child of that span. */
  parent?: 'current' | 'none' | Readonly<Record<string, string | string[] | undefined>>
}

export interface Span {
  /** Makes this the parent of every span that `work`, and whatever it awaits, begins. */
  within<Result>(work: () => Result): Result
  set(attributes: SpanAttributes): void
  /** Ends the span, once. A failure records the error's code or name, never its message. */
  end(failure?: { error: unknown }): void
}

/** Receives spans. Code that can run without a tracer skips all recording. */
export interface Tracer {
  begin(name: string, options?: SpanOptions): Span
  /** Records a span that ended now and took `ms` milliseconds. */
  record(
    name: string,
    ms: number,
    options: { attributes: SpanAttributes; failure?: { error: unknown } | undefined },
  ): void
}

/** Runs work inside a span of its own. @throws what the work throws */
export async function traced<Result>(
  tracer: Tracer,
  name: string,
  options: SpanOptions,
  work: (span: Span) => Promise<Result>,
): Promise<Result> {
  const span = tracer.begin(name, options)
  try {
    const result = await span.within(() => work(span))
    span.end()
    return result
  } catch (error) {
    span.end({ error })
    throw error
  }
}
