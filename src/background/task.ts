/** Something done again and again in the background, one at a time. */
export interface Task {
  /** Has it done now, unless the first time waits too, and every interval from now on. */
  start(): void
  /** Has it done now; when it is under way, once more after that. Resolves when nothing asked for is left to do. */
  ask(): Promise<void>
  /** Not once more; resolves when what is under way has ended. */
  stop(): Promise<void>
}

/**
 * A task that nothing does yet.
 * @param act does it once; what it throws goes to `onError`, and the task goes on
 * @param intervalMs milliseconds between the times it is asked for by itself; no interval keeps the process alive
 * @param waitsFirst whether its first time comes an interval after the start
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
  let stopped = false
  let timer: NodeJS.Timeout | undefined

  async function work(): Promise<void> {
    for (;;) {
      if (!again || stopped) break
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
    if (stopped) return current ?? Promise.resolve()
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
    async stop() {
      stopped = true
      clearInterval(timer)
      await current
    },
  }
}
