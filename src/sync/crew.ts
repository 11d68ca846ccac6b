import type { ProviderId } from '../kernel/providers.ts'
import { createPlaces } from './places.ts'
import type { TakenRun } from './run-lease.ts'
import type { Place } from './work-on-run.ts'

export interface CrewDependencies {
  providers: readonly ProviderId[]
  /** Sources worked on at once; those that wait for their provider do not count. */
  concurrency?: number | undefined
  /** Takes up a run of one of these providers, if there is one. */
  take(providers: readonly ProviderId[]): Promise<TakenRun | undefined>
  /** Works on a run until it is parted with. Does not throw. */
  work(run: TakenRun, place: Place): Promise<void>
  /** No more runs are taken up. */
  stopping: AbortSignal
  /** A place has become free. */
  onFree(): void
}

const CONCURRENCY = 8
/** With those that wait for their provider. */
const AT_WORK_MAX = 64

export interface Crew {
  /** Takes up runs as long as there are places and runs. @returns whether there was one */
  takeUp(): Promise<boolean>
  /** Resolves once the runs at work now have been parted with. */
  finished(): Promise<void>
}

/** The runs at work. */
export function createCrew(deps: CrewDependencies): Crew {
  const atWork = new Set<Promise<void>>()
  const places = createPlaces(deps.concurrency ?? CONCURRENCY)
  const withWaiting = createPlaces(AT_WORK_MAX)
  const withRoom = (): ProviderId[] =>
    deps.stopping.aborted
      ? []
      : deps.providers.filter((provider) => places.hasRoom(provider) && withWaiting.hasRoom(provider))

  function workBeside(run: TakenRun): void {
    const { provider } = run.source
    const place = {
      enter: () => places.enter(provider),
      leave: () => {
        places.leave(provider)
        deps.onFree()
      },
    }
    withWaiting.enter(provider)
    const done = deps.work(run, place).finally(() => {
      withWaiting.leave(provider)
      atWork.delete(done)
    })
    atWork.add(done)
  }

  return {
    async takeUp() {
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
