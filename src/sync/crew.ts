import type { ProviderId } from '../kernel/providers.ts'
import type { DatabaseClock } from './database-clock.ts'
import { createPlaces } from './places.ts'
import { takeRun, type TakenRun } from './run-lease.ts'
import { type WorkDependencies, workOn } from './work-on-run.ts'

export interface CrewDependencies extends WorkDependencies {
  providers: readonly ProviderId[]
  /** Sources worked on at once; those that wait for their provider do not count. */
  concurrency?: number
}

const CONCURRENCY = 8
/** With those that wait for their provider. */
const AT_WORK_MAX = 64

export interface Crew {
  /** Takes up runs as long as there are places and runs; answers whether there was one. */
  takeUp(): Promise<boolean>
  /** Resolves once the runs at work now have been parted with. */
  finished(): Promise<void>
}

/** The runs at work. `onFree` is called whenever a place becomes free. */
export function createCrew(
  deps: CrewDependencies & { clock: DatabaseClock },
  stopping: AbortSignal,
  onFree: () => void,
): Crew {
  const atWork = new Set<Promise<void>>()
  const places = createPlaces(deps.concurrency ?? CONCURRENCY)
  const withWaiting = createPlaces(AT_WORK_MAX)
  const withRoom = (): ProviderId[] =>
    stopping.aborted
      ? []
      : deps.providers.filter((provider) => places.hasRoom(provider) && withWaiting.hasRoom(provider))

  function workBeside(run: TakenRun): void {
    const { provider } = run.source
    const place = {
      enter: () => places.enter(provider),
      leave: () => {
        places.leave(provider)
        onFree()
      },
    }
    withWaiting.enter(provider)
    const done = workOn(deps, run, stopping, place).finally(() => {
      withWaiting.leave(provider)
      atWork.delete(done)
    })
    atWork.add(done)
  }

  return {
    async takeUp() {
      await deps.clock.adjust()
      let found = false
      for (;;) {
        const run = await takeRun(deps.db, withRoom(), deps.clock.now())
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
