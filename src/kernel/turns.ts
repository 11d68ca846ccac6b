import { AsyncLocalStorage } from 'node:async_hooks'
import { createFairQueue } from './fair-queue.ts'

/** Whose work is under way: an organization's id, or another name for who caused it. */
const owners = new AsyncLocalStorage<string>()
/** Work that nobody asked for, such as polls. */
const SERVICE = 'service'

/** Runs work in somebody's name. What it waits for, such as the embedded database's session, it gets in their turn. */
export function actingFor<T>(owner: string, work: () => T): T {
  return owners.run(owner, work)
}

export function currentOwner(): string {
  return owners.getStore() ?? SERVICE
}

const waiting = createFairQueue<() => void>()
let isScheduled = false

/**
 * Gives the event loop to others. One work goes on for each turn of the loop, and owners take turns. Otherwise a dozen works of
 * one organization would each take a slice before the next request is read.
 */
export function loopTurn(): Promise<void> {
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
