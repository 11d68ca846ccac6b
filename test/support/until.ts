import { setTimeout as sleep } from 'node:timers/promises'

/** How long the result may stay unchanged, together with a minimum number of polls, because a busy machine polls rarely. */
const STALLED_MS = 60_000
const LOOKS_MIN = 100
const FIRST_LOOK_MS = 5
const LAST_LOOK_MS = 50

/**
 * Polls `look` until `isDone` accepts its result, and returns that. Gives up only when the result has not changed for
 * a minute, so that a slow machine makes a test slow, not wrong.
 */
export async function until<Seen>(
  what: string,
  look: () => Seen | Promise<Seen>,
  isDone: (seen: Seen) => boolean,
): Promise<Seen> {
  let last = ''
  let changedAt = performance.now()
  let looks = 0
  let waitMs = FIRST_LOOK_MS
  for (;;) {
    const seen = await look()
    if (isDone(seen)) return seen
    const now = JSON.stringify(seen) ?? ''
    if (now !== last) [last, changedAt, looks] = [now, performance.now(), 0]
    looks += 1
    if (looks > LOOKS_MIN && performance.now() - changedAt > STALLED_MS)
      throw new Error(`It did not come about: ${what}. Last seen: ${now.slice(0, 2_000)}`)
    await sleep(waitMs)
    waitMs = Math.min(LAST_LOOK_MS, waitMs * 2)
  }
}
