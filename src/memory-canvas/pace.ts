import { setTimeout as sleep } from 'node:timers/promises'

/** Rest as a multiple of the step's duration: equal when idle, nearly all the time under requests. */
const REST = 1
const REST_WHEN_BUSY = 24
/** Upper limit on a rest, so that work progresses even under constant requests. */
const REST_MS_MAX = 1_000
/** How often a rest checks whether requests have ended. */
const LOOK_MS = 50

export interface PaceTime {
  /** Milliseconds since any fixed moment. */
  now(): number
  /** @throws if the signal is aborted meanwhile */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

const REAL_TIME: PaceTime = {
  now: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
}

/** Makes background work yield to requests: called between steps, it waits in proportion. @throws once aborted */
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
