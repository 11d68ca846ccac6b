import { unavailable } from './unavailable.ts'

export interface FairLimitOptions {
  /** What waits, as the subject of the refusal: "Searches". */
  what: string
  /** Works at one time. */
  concurrency: number
  /** Works of one owner at one time, so that a place is left for others. */
  concurrencyPerOwner: number
  /** Longest wait for a place. Whoever would wait longer is refused at once, as far as that can be foreseen. */
  waitMaxMs: number
  /** Monotonic time in milliseconds. */
  now?: () => number
}

export interface FairWork<T> {
  /** Whose work it is: owners take turns, however much each has waiting. */
  owner: string
  /** How much work it is, in any unit that is the same for all works of the limit; 1 when all are alike. */
  cost?: number
  run: () => Promise<T>
  signal?: AbortSignal | undefined
}

/**
 * Runs the work when it is its turn.
 * @throws AppError `overloaded`, with Retry-After, when its turn would come too late; the reason of `signal`; what it throws
 */
export type FairLimit = <T>(work: FairWork<T>) => Promise<T>

interface Waiting {
  cost: number
  start: () => void
}

interface Owner {
  running: number
  waiting: Waiting[]
  waitingCost: number
  /** Number of its last turn. */
  servedAt: number
  /** Works that have ended, failed ones too. */
  ended: number
  /** Smoothed milliseconds for a unit of cost. */
  msPerCost: number
}

/** How much the newest work counts in an owner's smoothed speed. */
const NEWEST_SHARE = 0.2
/** Works after which an owner's next ones are foreseen: the first of a process are slow, and say nothing of those that follow. */
const EXPERIENCE = 3
const OWNERS_REMEMBERED = 1_000
const RETRY_AFTER_MAX_SECONDS = 60

/** Bounds what runs at one time, and gives each owner its turn: one that sends a thousand waits behind itself. */
export function createFairLimit(options: FairLimitOptions): FairLimit {
  const { concurrency, concurrencyPerOwner, waitMaxMs, now = () => performance.now() } = options
  const owners = new Map<string, Owner>()
  let running = 0
  let turns = 1

  const ownerOf = (name: string): Owner => {
    const known = owners.get(name)
    if (known) return known
    if (owners.size >= OWNERS_REMEMBERED) forgetIdle(owners)
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
      owner.servedAt = turns++
      owner.running += 1
      running += 1
      next.start()
    }
  }

  const turn = async (owner: Owner, cost: number, signal: AbortSignal | undefined): Promise<void> => {
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
    await turn(owner, cost, signal)
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

/** By ratios and not by differences, so that a single work that was held up does not stand for all that wait. */
function smoothed({ ended, msPerCost: before }: Owner, newest: number): number {
  if (ended === 0 || before === 0 || newest === 0) return newest
  return before * (newest / before) ** NEWEST_SHARE
}

/** Milliseconds for a unit of an owner's cost; 0 while too little is known. */
function foreseenMs({ ended, msPerCost }: Owner): number {
  return ended < EXPERIENCE ? 0 : msPerCost
}

/** When a work of this owner would get its turn: behind its own, and behind as much of each other's. */
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

/** A place in the owner's line, which can be left while its turn has not come. */
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

/** The owner with work that waits, and a place of its own left, whose last turn is longest ago. */
function longestUnserved(owners: Iterable<Owner>, concurrencyPerOwner: number): Owner | undefined {
  let first: Owner | undefined
  for (const owner of owners) {
    if (owner.waiting.length === 0 || owner.running >= concurrencyPerOwner) continue
    if (!first || owner.servedAt < first.servedAt) first = owner
  }
  return first
}

function forgetIdle(owners: Map<string, Owner>): void {
  for (const [name, owner] of owners) {
    if (owner.running === 0 && owner.waiting.length === 0) owners.delete(name)
  }
}

function tooMuch(what: string, waitMs: number): Error {
  const seconds = Math.min(RETRY_AFTER_MAX_SECONDS, Math.max(1, Math.ceil(waitMs / 1000)))
  return unavailable('overloaded', `${what} of this workspace cannot get their turn in time`, seconds)
}
