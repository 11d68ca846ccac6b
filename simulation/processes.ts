import { AsyncLocalStorage } from 'node:async_hooks'

/** One process of the service. Everything it does is attributed to it, so that all of it stops when it is killed. */
export interface SimulatedProcess {
  readonly name: string
  readonly isDead: boolean
  /** Never resolves while the process lives. */
  readonly death: Promise<void>
  /** Kills it without a shutdown. */
  kill(): void
}

const running = new AsyncLocalStorage<SimulatedProcess | undefined>()

export function createProcess(name: string): SimulatedProcess {
  const { promise, resolve } = Promise.withResolvers<void>()
  let isDead = false
  return {
    name,
    death: promise,
    get isDead() {
      return isDead
    },
    kill() {
      isDead = true
      resolve()
    },
  }
}

export const currentProcess = (): SimulatedProcess | undefined => running.getStore()

export const runIn = <Result>(process: SimulatedProcess | undefined, act: () => Result): Result =>
  running.run(process, act)

/** A callback that runs as the process that registers it. */
export const bound = <Act extends (...given: never[]) => unknown>(act: Act): Act =>
  AsyncLocalStorage.bind(act)

/** A promise that never resolves, for a dead process. */
export const never = <Result>(): Promise<Result> => new Promise<Result>(() => {})
