import { EventEmitter } from 'node:events'
import { syncBuiltinESMExports } from 'node:module'
import { setImmediate } from 'node:timers/promises'
import workerThreads, { type Worker } from 'node:worker_threads'
import type { EmbeddedMessage, EmbeddedPlace } from '../../../src/database/drivers/embedded-messages.ts'
import { createPGlite } from '../../../src/database/drivers/embedded-pglite.ts'
import { EmbeddedSession } from '../../../src/database/drivers/embedded-session.ts'

/**
 * Runs embedded databases on this thread, so that their file changes are recorded in order with all others.
 * @returns restores their own threads
 */
export function runDatabasesHere(): () => void {
  const { Worker } = workerThreads
  const standIn = new Proxy(Worker, {
    construct(target, [file, options]: ConstructorParameters<typeof Worker>) {
      const isDatabase = String(file).endsWith('/embedded-worker.ts')
      return isDatabase ? new DatabaseHere(options?.workerData) : new target(file, options)
    },
  })
  Object.assign(workerThreads, { Worker: standIn })
  syncBuiltinESMExports()
  return () => {
    Object.assign(workerThreads, { Worker })
    syncBuiltinESMExports()
  }
}

/** The part of the database's thread that the service uses. */
class DatabaseHere
  extends EventEmitter
  implements Pick<Worker, 'postMessage' | 'ref' | 'unref' | 'terminate'>
{
  readonly #session: Promise<EmbeddedSession>

  constructor(place: EmbeddedPlace) {
    super()
    this.#session = createPGlite(place).then((pglite) => new EmbeddedSession(pglite))
    this.#session.then(
      () => this.emit('message', { isOpen: true }),
      (error: unknown) => this.emit('error', error),
    )
  }

  postMessage(message: EmbeddedMessage): void {
    void this.#answer(structuredClone(message))
  }

  async #answer(message: EmbeddedMessage): Promise<void> {
    const session = await this.#session
    if (message.kind === 'begin') return session.begin(message)
    const outcome = await session.answer(message)
    await setImmediate()
    this.emit('message', structuredClone({ id: message.id, ...outcome }))
  }

  ref(): void {}
  unref(): void {}

  async terminate(): Promise<number> {
    this.emit('exit', 0)
    return 0
  }
}
