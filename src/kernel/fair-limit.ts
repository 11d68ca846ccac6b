import { unavailable } from './unavailable.ts'

export interface FairLimitOptions {
  /** The plural noun in the refusal's message, such as "searches". */
  what: string
  concurrency: number
  /** The most jobs of one owner that run at once. Lower than `concurrency`, it leaves room for other owners. */
  concurrencyPerOwner: number
  /** The longest wait for a slot. Work with a longer expected wait is rejected immediately. */
  waitMaxMs: number
  /** Monotonic milliseconds. */
  now?: () => number
}

export interface FairWork<T> {
  /** Owners take turns, however much work each has queued. */
  owner: string
  /** The size of the work, in any unit that all jobs of this limit share. Defaults to 1. */
  cost?: number
  run: () => Promise<T>
  signal?: AbortSignal | undefined
}

/** Runs the work once a slot is free. @throws AppError `overloaded`, the signal's reason, what the work throws */
export type FairLimit = <T>(work: FairWork<T>) => Promise<T>

interface Waiting {
  cost: number
  start: () => void
}

interface Owner {
  running: number
  waiting: Waiting[]
  waitingCost: number
  /** The sequence number of its last start. */
  servedAt: number
  /** Including failed jobs. */
  ended: number
  /** Smoothed milliseconds per unit of cost. */
  msPerCost: number
}

const NEWEST_SHARE = 0.2
/** An owner's waits are predicted after this many jobs: the first ones of a process are slow and predict nothing. */
const EXPERIENCE = 3
const OWNERS_REMEMBERED = 1_000
const RETRY_AFTER_MAX_SECONDS = 60

/** Limits concurrency and serves owners in turn: an owner with a thousand jobs delays only itself. */
export function createFairLimit(options: FairLimitOptions): FairLimit {
  const { concurrency, concurrencyPerOwner, waitMaxMs, now = () => performance.now() } = options
  const owners = new Map<string, Owner>()
  let running = 0
  let started = 1

  const ownerOf = (name: string): Owner => {
    const known = owners.get(name)
    if (known) return known
    if (owners.size >= OWNERS_REMEMBERED) evictIdle(owners)
    const owner: Owner = { running: 0, waiting: [], waitingCost: 0, servedAt: 0, ended: 0, msPerCost: 0 }
    owners.set(name, owner)
    return owner
  }

  const startNext = (): void => {
    while (running < concurrency) {
      const owner = longestUnserved(owners.values(), concurrencyPerOwner)
      const next = owner?.waiting.shift()
      if (!owner || !next) return
      owner.waitingCost -= next.cost
      owner.servedAt = started++
      owner.running += 1
      running += 1
      next.start()
    }
  }

  const waitForPlace = async (owner: Owner, cost: number, signal: AbortSignal | undefined): Promise<void> => {
    const expectedMs = expectedWaitMs(owners.values(), owner, cost, options)
    if (expectedMs > waitMaxMs) throw tooMuch(options.what, expectedMs)
    const place = enqueue(owner, cost)
    const onAbort = (): void => place.leave(signal?.reason)
    const timer = setTimeout(() => place.leave(tooMuch(options.what, waitMaxMs)), waitMaxMs)
    signal?.addEventListener('abort', onAbort, { once: true })
    startNext()
    try {
      await place.started
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    }
  }

  return async ({ owner: name, cost = 1, run, signal }) => {
    signal?.throwIfAborted()
    const owner = ownerOf(name)
    await waitForPlace(owner, cost, signal)
    const startedAt = now()
    try {
      return await run()
    } finally {
      owner.msPerCost = smoothed(owner, (now() - startedAt) / cost)
      owner.ended += 1
      owner.running -= 1
      running -= 1
      startNext()
    }
  }
}

/** Smooths by ratio, not difference, so that one slow job does not determine the estimate for all queued jobs. */
function smoothed({ ended, msPerCost: before }: Owner, newest: number): number {
  if (ended === 0 || before === 0 || newest === 0) return newest
  return before * (newest / before) ** NEWEST_SHARE
}

/** Milliseconds per unit of the owner's cost; 0 while there is too little experience to predict. */
function foreseenMs({ ended, msPerCost }: Owner): number {
  return ended < EXPERIENCE ? 0 : msPerCost
}

/** Predicts the wait of this work: behind the owner's own queue and an equal share of each other owner's. */
function expectedWaitMs(
  owners: Iterable<Owner>,
  owner: Owner,
  cost: number,
  { concurrency, concurrencyPerOwner }: FairLimitOptions,
): number {
  let ms = 0
  for (const each of owners) {
    const ahead = each === owner ? owner.waitingCost : Math.min(each.waitingCost, owner.waitingCost + cost)
    ms += ahead * foreseenMs(each)
  }
  const alone = (owner.waitingCost * foreseenMs(owner)) / Math.min(concurrency, concurrencyPerOwner)
  return Math.max(ms / concurrency, alone)
}

/** Adds work to the owner's queue. `leave` removes it before it starts. */
function enqueue(owner: Owner, cost: number): { started: Promise<void>; leave: (reason: unknown) => void } {
  const { promise: started, resolve, reject } = Promise.withResolvers<void>()
  const waiting: Waiting = { cost, start: resolve }
  owner.waiting.push(waiting)
  owner.waitingCost += cost
  return {
    started,
    leave(reason) {
      const at = owner.waiting.indexOf(waiting)
      if (at === -1) return
      owner.waiting.splice(at, 1)
      owner.waitingCost -= cost
      reject(reason)
    },
  }
}

/** The least recently served owner that has queued work and a free slot. */
function longestUnserved(owners: Iterable<Owner>, concurrencyPerOwner: number): Owner | undefined {
  let first: Owner | undefined
  for (const owner of owners) {
    if (owner.waiting.length === 0 || owner.running >= concurrencyPerOwner) continue
    if (!first || owner.servedAt < first.servedAt) first = owner
  }
  return first
}

function evictIdle(owners: Map<string, Owner>): void {
  for (const [name, owner] of owners) {
    if (owner.running === 0 && owner.waiting.length === 0) owners.delete(name)
  }
}

function tooMuch(what: string, waitMs: number): Error {
  const seconds = Math.min(RETRY_AFTER_MAX_SECONDS, Math.max(1, Math.ceil(waitMs / 1000)))
  return unavailable('overloaded', `Too many ${what} are waiting in this workspace`, seconds)
}
