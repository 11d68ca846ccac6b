import { yieldToEventLoop } from './event-loop.ts'

/** Milliseconds of work before other work runs. It is short, because one request waits for several bursts. */
const BURST_MS = 2
/** For work that often takes seconds: meanwhile, each statement of a request waits for a burst. */
export const SHORT_BURST_MS = 1

/** Work that can pause. It yields where other work may run, after well under a millisecond each time. */
export type Pausable<Result> = Generator<void, Result>

/** Runs long work in bursts of a few milliseconds, with the work of other organizations in between. */
export async function runCooperatively<Result>(
  work: Pausable<Result>,
  signal?: AbortSignal,
  burstMs = BURST_MS,
): Promise<Result> {
  return await runWithPauses(burstMs, work, async () => {
    await yieldToEventLoop()
    signal?.throwIfAborted()
  })
}

/** Runs work in bursts of `burstMs`, with the caller's own pause between them. */
export async function runWithPauses<Result>(
  burstMs: number,
  work: Pausable<Result>,
  pause: () => Promise<void>,
): Promise<Result> {
  let until = performance.now() + burstMs
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
    if (performance.now() < until) continue
    await pause()
    until = performance.now() + burstMs
  }
}

/** Runs the work without pausing, for text known to be short and for tools that serve no requests. */
export function inOneGo<Result>(work: Pausable<Result>): Result {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
  }
}
