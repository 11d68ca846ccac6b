import type { ProviderId } from '../kernel/provider-id.ts'
import { createSlots } from './slots.ts'
import type { LeasedRun } from './run-lease.ts'
import type { Slot } from './work-on-run.ts'

export interface WorkerPoolDependencies {
  providers: readonly ProviderId[]
  /** Sources processed at once, not counting those that wait for their provider. */
  concurrency?: number | undefined
  /** Acquires a run of one of these providers, if there is one. */
  take(providers: readonly ProviderId[]): Promise<LeasedRun | undefined>
  /** Works on a run until it ends or is released. Does not throw. */
  work(run: LeasedRun, slot: Slot): Promise<void>
  /** Aborts when no more runs may be acquired. */
  stopping: AbortSignal
  /** A slot has become free. */
  onFree(): void
}

const CONCURRENCY = 8
/** Including those that wait for their provider. */
const RUNS_MAX = 64

export interface WorkerPool {
  /** Acquires runs while there are free slots. @returns whether there was one */
  acquireNext(): Promise<boolean>
  /** Resolves once the current runs have ended or were released. */
  finished(): Promise<void>
}

/** Runs sync runs concurrently. */
export function createWorkerPool(deps: WorkerPoolDependencies): WorkerPool {
  const atWork = new Set<Promise<void>>()
  const slots = createSlots(deps.concurrency ?? CONCURRENCY)
  const allSlots = createSlots(RUNS_MAX)
  const withRoom = (): ProviderId[] =>
    deps.stopping.aborted
      ? []
      : deps.providers.filter((provider) => slots.hasRoom(provider) && allSlots.hasRoom(provider))

  function workBeside(run: LeasedRun): void {
    const { provider } = run.source
    const slot = {
      enter: () => slots.enter(provider),
      leave: () => {
        slots.leave(provider)
        deps.onFree()
      },
    }
    allSlots.enter(provider)
    const done = deps.work(run, slot).finally(() => {
      allSlots.leave(provider)
      atWork.delete(done)
    })
    atWork.add(done)
  }

  return {
    async acquireNext() {
      let found = false
      for (;;) {
        const run = await deps.take(withRoom())
        if (!run) return found
        found = true
        workBeside(run)
      }
    },
    async finished() {
      await Promise.all(atWork)
    },
  }
}
