import { beforeAbort } from '../kernel/before-abort.ts'

/** Yields the same items, but throws the reason of `signal` as soon as it aborts, even if the source ignores it. */
export async function* abortable<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]()
  let finished = false
  try {
    while (!finished) {
      const next = await beforeAbort(iterator.next(), signal)
      if (next.done) finished = true
      else yield next.value
    }
  } finally {
    // Not awaited: a source that ignored the signal may never return.
    if (!finished) iterator.return?.().catch(() => undefined)
  }
}
