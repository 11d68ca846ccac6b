/** The time limit of a request, combined with the caller's signal. */
export interface Deadline {
  readonly signal: AbortSignal
  /** Whether the time has run out. */
  readonly hasPassed: boolean
  /** Restarts the timer before each piece of a streamed answer is awaited. */
  renew(): void
  /** Stops the timer until it is renewed. */
  pause(): void
  /** Releases timer and signal. */
  release(): void
}

/** Timers of more milliseconds, or of infinitely many, fire at once. */
const TIMER_MS_MAX = 2 ** 31 - 1

/** Starts a deadline that many milliseconds from now. */
export function startDeadline(milliseconds: number, caller: AbortSignal | undefined): Deadline {
  const controller = new AbortController()
  let hasPassed = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const onAbort = (): void => controller.abort(caller?.reason)
  const pause = (): void => clearTimeout(timer)
  const release = (): void => {
    pause()
    caller?.removeEventListener('abort', onAbort)
  }
  const renew = (): void => {
    pause()
    timer = setTimeout(
      () => {
        hasPassed = true
        controller.abort()
      },
      Math.min(milliseconds, TIMER_MS_MAX),
    )
  }
  if (caller?.aborted) onAbort()
  else caller?.addEventListener('abort', onAbort, { once: true })
  renew()
  return {
    signal: controller.signal,
    get hasPassed() {
      return hasPassed
    },
    renew,
    pause,
    release,
  }
}
