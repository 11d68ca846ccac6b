import { loopTurn } from './turns.ts'

/** Milliseconds of work before other work gets a turn: one request waits for several turns. */
const SLICE_MS = 2
/** For work that often runs for seconds: while it does, each statement of a request waits for a turn. */
export const SHORT_SLICE_MS = 1

/** Work that can pause. It yields where other work may run, after well under a millisecond each time. */
export type Pausable<Result> = Generator<void, Result>

/** Runs long work in slices of a few milliseconds; between them organizations take turns. */
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

/** Runs work in slices of `sliceMs`, with the caller's own pause between them. */
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

/** Runs the work without pausing, for text known to be short and for tools that serve no requests. */
export function inOneGo<Result>(work: Pausable<Result>): Result {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
  }
}
