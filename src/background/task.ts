/** Work that repeats in the background, one run at a time. */
export interface Task {
  /** Runs it now, unless the first run waits too, and then every interval. */
  start(): void
  /** Runs it now; during a run, once more afterward. Resolves when no requested run is left. */
  ask(): Promise<void>
  /** Aborts when the task is stopped. */
  signal: AbortSignal
  /** Stops further runs, and aborts `signal`. Resolves when the current run has ended. */
  stop(): Promise<void>
}

/**
 * Creates a task, not started yet.
 * @param act one run; its errors go to `onError`, and the task continues
 * @param intervalMs milliseconds between runs; the timer does not keep the process alive
 * @param waitsFirst whether the first run comes an interval after the start
 */
export function createTask(options: {
  act: () => Promise<unknown>
  intervalMs: number
  onError: (error: unknown) => void
  waitsFirst?: boolean
}): Task {
  const { act, intervalMs, onError, waitsFirst = false } = options
  let current: Promise<void> | null = null
  let again = false
  const stopping = new AbortController()
  const { signal } = stopping
  let timer: NodeJS.Timeout | undefined

  async function work(): Promise<void> {
    for (;;) {
      if (!again || signal.aborted) break
      again = false
      try {
        await act()
      } catch (error) {
        onError(error)
      }
    }
    current = null
  }
  function ask(): Promise<void> {
    if (signal.aborted) return current ?? Promise.resolve()
    again = true
    current ??= work()
    return current
  }
  return {
    start() {
      timer ??= setInterval(() => void ask(), intervalMs).unref()
      if (!waitsFirst) void ask()
    },
    ask,
    signal,
    async stop() {
      stopping.abort()
      clearInterval(timer)
      await current
    },
  }
}
