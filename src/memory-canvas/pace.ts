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

/** Time as a pace knows it. */
export interface PaceTime {
  /** Milliseconds since some moment. */
  now(): number
  /** @throws where the signal is aborted meanwhile */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

const REAL_TIME: PaceTime = {
  now: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
}

/**
 * What makes work in the background give way to requests: called between its steps, it waits in proportion to the time since it
 * was called last.
 * @param isBusy whether somebody asks for something, or just did
 * @throws from what is returned, once the signal is aborted
 */
export function createPace(
  isBusy: () => boolean,
  signal: AbortSignal,
  time: PaceTime = REAL_TIME,
): () => Promise<void> {
  let startedAt = time.now()
  return async () => {
    const endedAt = time.now()
    const tookMs = endedAt - startedAt
    for (;;) {
      const restMs = Math.min(REST_MS_MAX, tookMs * (isBusy() ? REST_WHEN_BUSY : REST))
      const leftMs = restMs - (time.now() - endedAt)
      if (leftMs <= 0) break
      await time.sleep(Math.min(leftMs, LOOK_MS), signal)
    }
    signal.throwIfAborted()
    startedAt = time.now()
  }
}
