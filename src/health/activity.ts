/** Whether the process has requests to answer. */
export interface Activity {
  /** A request that came in. @returns what is to be called once it is answered or given up */
  observeRequest(): () => void
  /** Whether a request is being answered, or was within the last half second. */
  isAnswering(): boolean
}

const JUST_MS = 500

/** The activity of a process that has had no request yet. */
export function createActivity(): Activity {
  let open = 0
  let closedAt = Number.NEGATIVE_INFINITY
  return {
    observeRequest() {
      open += 1
      return () => {
        open -= 1
        closedAt = performance.now()
      }
    },
    isAnswering: () => open > 0 || performance.now() - closedAt < JUST_MS,
  }
}
