/** What a span says beside its name. Never text of a caller or of a document, a secret, or a parameter of a statement. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>

export interface SpanOptions {
  /** `server` and `client`: one side of a request; `internal` when not said. */
  kind?: 'server' | 'client' | 'internal'
  attributes?: SpanAttributes
  /**
   * `current`, when not said: a part of what is traced here, and nothing where nothing is. `none`: a trace of its own. Headers: a
   * part of the caller's trace that they name (https://www.w3.org/TR/trace-context/), else of its own.
   */
  parent?: 'current' | 'none' | Readonly<Record<string, string | string[] | undefined>>
}

/** Something that takes its time. */
export interface Span {
  /** What is begun by `work`, and by whatever that calls and waits for, is a part of this. */
  within<Result>(work: () => Result): Result
  set(attributes: SpanAttributes): void
  /** Ends it, once. With an error it failed by that: its code or its name is told, never its message. */
  end(failure?: { error: unknown }): void
}

/** Where spans go. Whoever may be given none does without at no cost. */
export interface Tracer {
  begin(name: string, options?: SpanOptions): Span
  /** A span that took `ms` milliseconds until now. */
  record(
    name: string,
    ms: number,
    options: { attributes: SpanAttributes; failure?: { error: unknown } | undefined },
  ): void
}

/** Does work as a span of its own. @throws what the work throws */
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
