export interface BackgroundLoop {
  start(): void
  /** Resolves when nothing is under way any more. */
  stop(): Promise<void>
}

/** Does something again and again, one at a time, with a pause in between; failures go to `onError`. */
export function createBackgroundLoop(options: {
  pauseMs: number
  act: () => Promise<void>
  onError: (error: unknown) => void
}): BackgroundLoop {
  const { pauseMs, act, onError } = options
  let timer: NodeJS.Timeout | undefined
  let current: Promise<void> = Promise.resolve()
  let isStopped = true
  const turn = (): void => {
    current = act()
      .catch(onError)
      .finally(() => {
        if (!isStopped) timer = setTimeout(turn, pauseMs).unref()
      })
  }
  return {
    start() {
      if (!isStopped) return
      isStopped = false
      turn()
    },
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await current
    },
  }
}
