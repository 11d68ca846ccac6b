import { loopTurn } from './turns.ts'

/** Work goes on for so long, in milliseconds, before others get their turn: a request has several turns to wait for. */
const SLICE_MS = 2
/** The same of work that is often under way for seconds: beside it each statement of a request has a turn to wait for. */
export const SHORT_SLICE_MS = 1

/** Work that can pause: it yields wherever others may get their turn, each time after well under a millisecond of its own. */
export type Pausable<Result> = Generator<void, Result>

/**
 * The result of work that may take long, done in slices of some milliseconds, or as many as are given. Between them the event
 * loop goes on, and organizations take turns.
 * @throws what the work throws, and the reason of `signal`
 */
export async function inSlices<Result>(
  work: Pausable<Result>,
  signal?: AbortSignal,
  sliceMs = SLICE_MS,
): Promise<Result> {
  return await inSlicesOf(sliceMs, work, async () => {
    await loopTurn()
    signal?.throwIfAborted()
  })
}

/**
 * The same in slices of so many milliseconds, with a pause of the caller's choice between them.
 * @throws what the work and the pause throw
 */
export async function inSlicesOf<Result>(
  sliceMs: number,
  work: Pausable<Result>,
  pause: () => Promise<void>,
): Promise<Result> {
  let until = performance.now() + sliceMs
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
    if (performance.now() < until) continue
    await pause()
    until = performance.now() + sliceMs
  }
}

/** The result of the same work in one go, for text known to be short and for tools that serve nobody meanwhile. */
export function inOneGo<Result>(work: Pausable<Result>): Result {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
  }
}
