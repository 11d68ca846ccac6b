import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Of the time that a step took: where nobody asks for anything, others have the process as long as the work, and where somebody
 * does, nearly always.
 */
const REST = 1
const REST_WHEN_BUSY = 24
/** However long a step took, as it may where it waits for others: the work gets done beside requests that never end, too. */
const REST_MS_MAX = 1_000
/** How soon a rest ends once nobody asks any more. */
const LOOK_MS = 50

/**
 * What makes work in the background give way to requests: called between its steps, it waits in proportion to the time since it
 * was called last.
 * @param isBusy whether somebody asks for something, or just did
 * @throws the reason of the signal, from what is returned
 */
export function createPace(isBusy: () => boolean, signal: AbortSignal): () => Promise<void> {
  let startedAt = performance.now()
  return async () => {
    const endedAt = performance.now()
    const tookMs = endedAt - startedAt
    for (;;) {
      const restMs = Math.min(REST_MS_MAX, tookMs * (isBusy() ? REST_WHEN_BUSY : REST))
      const leftMs = restMs - (performance.now() - endedAt)
      if (leftMs <= 0) break
      await sleep(Math.min(leftMs, LOOK_MS), undefined, { signal })
    }
    signal.throwIfAborted()
    startedAt = performance.now()
  }
}
