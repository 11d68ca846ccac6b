import { setTimeout as sleep } from 'node:timers/promises'

/** How long nothing may change, and how often that has to have been looked at: a busy machine gives few looks a minute. */
const STALLED_MS = 60_000
const LOOKS_MIN = 100
const FIRST_LOOK_MS = 5
const LAST_LOOK_MS = 50

/**
 * Waits until `look` answers something that `isDone` takes, and answers that. It gives up only when what it sees has not
 * changed for a minute, so a slow machine makes a test slow and not wrong.
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
