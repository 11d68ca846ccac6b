import { AsyncLocalStorage } from 'node:async_hooks'
import { createFairQueue } from './fair-queue.ts'

/** The owner of the current work: an organization's id, or another name for what caused it. */
const owners = new AsyncLocalStorage<string>()
/** Work that no request caused, such as polls. */
const SERVICE = 'service'

/** Runs work on behalf of an owner. Queues, such as the embedded database's session, serve owners alternately. */
export function actingFor<T>(owner: string, work: () => T): T {
  return owners.run(owner, work)
}

export function currentOwner(): string {
  return owners.getStore() ?? SERVICE
}

const waiting = createFairQueue<() => void>()
let isScheduled = false

/** Yields to the event loop. Each iteration resumes one job of the next owner, so that requests are read in between. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    waiting.add(currentOwner(), resolve)
    schedule()
  })
}

function schedule(): void {
  if (isScheduled) return
  isScheduled = true
  setImmediate(() => {
    isScheduled = false
    waiting.next()?.()
    if (waiting.size > 0) schedule()
  })
}
