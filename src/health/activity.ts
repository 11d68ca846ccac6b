export interface Activity {
  /** Call it for each request. @returns a function to call once the request is answered or aborted */
  observeRequest(): () => void
  /** Whether a request is being answered, or was within the last half second. */
  isAnswering(): boolean
}

const JUST_MS = 500

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
