/** What ends a request: its time, or the caller's signal. */
export interface Deadline {
  readonly signal: AbortSignal
  /** Whether the time has run out. */
  readonly hasPassed: boolean
  /** Begins the time anew, for an answer that comes in pieces. */
  renew(): void
  /** Lets go of timer and signal. */
  release(): void
}

/** A deadline of so many milliseconds from now. */
export function startDeadline(milliseconds: number, caller: AbortSignal | undefined): Deadline {
  const controller = new AbortController()
  let hasPassed = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const onAbort = (): void => controller.abort(caller?.reason)
  const release = (): void => {
    clearTimeout(timer)
    caller?.removeEventListener('abort', onAbort)
  }
  const renew = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      hasPassed = true
      controller.abort()
    }, milliseconds)
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
    release,
  }
}
